import type { Issue } from "../contracts/schema.js";
import { bounded, dottedPath, MAX_ISSUES } from "./issue-text.js";
import { received } from "./json-type.js";
import type { BuiltDto } from "./make-instances.js";
import { loadClassValidator, missingPackage, type ValidationError } from "./optional-package.js";
import { validationRules } from "./validation-metadata.js";

/**
 * Runs class-validator on the DTOs that have rules, nested ones included whether or not `@ValidateNested` names them, each
 * once. An optional property that the model left out is not held against rules that know nothing of absence.
 */
export async function validateInstances(built: readonly BuiltDto[]): Promise<Issue[]> {
  const validated = uncovered(built).filter(({ instance }) => validationRules(instance.constructor).length > 0);
  const first = validated[0];
  if (first === undefined) return [];
  const validator = await loadClassValidator();
  if (validator === undefined) throw missingPackage("class-validator", first.instance.constructor.name);
  const byInstance = new Map(built.map((dto) => [dto.instance, dto]));
  const issues: Issue[] = [];
  for (const { instance, site } of validated) {
    // Plain objects inside a DTO are checked by the schema alone: without this, class-validator refuses them as unknown.
    const errors = await validator.validate(instance, { forbidUnknownValues: false });
    for (const error of errors) collect(error, site.path.map(String), byInstance, issues);
    // Hundreds of thousands of wrong instances would only use up memory.
    if (issues.length >= MAX_ISSUES) break;
  }
  return issues.slice(0, MAX_ISSUES);
}

/** Those that no enclosing DTO validates by `@ValidateNested`; that one's conditions then hold for its parts too. */
function uncovered(built: readonly BuiltDto[]): BuiltDto[] {
  const open: BuiltDto[] = [];
  return built.filter((dto) => {
    while (open.length > 0 && !encloses(open.at(-1) as BuiltDto, dto)) open.pop();
    const outer = open.at(-1);
    open.push(dto);
    if (outer === undefined) return true;
    const [property, ...indices] = dto.site.path.slice(outer.site.path.length);
    if (!indices.every((index) => typeof index === "number")) return true;
    return !validationRules(outer.instance.constructor).some((rule) => rule.type === "nestedValidation" && rule.propertyName === property);
  });
}

function encloses(outer: BuiltDto, inner: BuiltDto): boolean {
  return outer.site.path.length < inner.site.path.length && outer.site.path.every((key, index) => key === inner.site.path[index]);
}

function collect(error: ValidationError, path: readonly string[], byInstance: ReadonlyMap<object, BuiltDto>, issues: Issue[]): void {
  const here = [...path, error.property];
  const dto = error.target === undefined ? undefined : byInstance.get(error.target);
  for (const [type, message] of Object.entries(error.constraints ?? {})) {
    if (dto !== undefined && type !== "isDefined" && isAbsentOptional(error, dto)) continue;
    issues.push({ path: dottedPath(here), expected: bounded(withoutValue(message, error.value)), received: kindOf(error.value) });
  }
  for (const child of error.children ?? []) collect(child, here, byInstance, issues);
}

function isAbsentOptional(error: ValidationError, { instance, site }: BuiltDto): boolean {
  if (error.value !== undefined || Object.hasOwn(site.json, error.property) || !site.optional.includes(error.property)) return false;
  // A condition (@ValidateIf) that held is the author's word that the property is needed in this case.
  return !validationRules(instance.constructor).some(
    (rule) => rule.type === "conditionalValidation" && rule.propertyName === error.property,
  );
}

/** Messages may quote `$value`; issues name rules only. */
function withoutValue(message: string, value: unknown): string {
  return typeof value === "string" && value.length > 3 ? message.replaceAll(value, "…") : message;
}

function kindOf(value: unknown): string {
  if (value instanceof Date) return "a date";
  return typeof value === "object" && value !== null && !Array.isArray(value) ? "object" : received(value);
}
