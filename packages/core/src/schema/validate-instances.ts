import type { Issue } from "../contracts/schema.js";
import { FlatRules, refusalKey } from "./flat-rules.js";
import { bounded, dottedPath, MAX_ISSUES } from "./issue-text.js";
import { received } from "./json-type.js";
import type { BuiltDto } from "./make-instances.js";
import { type ClassValidator, loadClassValidator, missingPackage, type ValidationError } from "./optional-package.js";
import { storageHolder } from "./validation-metadata.js";

/**
 * Runs class-validator on the DTOs that have rules, nested ones included whether or not `@ValidateNested` names them, each
 * once. An optional property that the model left out is not held against rules that know nothing of absence. Ends at 20
 * issues.
 */
export async function validateInstances(built: readonly BuiltDto[]): Promise<Issue[]> {
  const storage = storageHolder.classValidatorMetadataStorage;
  if (storage === undefined) return [];
  const rules = new FlatRules(storage);
  const roots = uncovered(built, rules).filter(({ instance }) => rules.of(instance).length > 0);
  const [first] = roots;
  if (first === undefined) return [];
  const validator = await loadClassValidator();
  if (validator === undefined) throw missingPackage("class-validator", first.instance.constructor.name);
  const validation = new Validation(validator, rules, built);
  for (const { instance, site } of roots) await validation.value(instance, site.path.map(String));
  return validation.issues.slice(0, MAX_ISSUES);
}

/** Those that no enclosing DTO validates by `@ValidateNested`; that one's conditions then hold for its parts too. */
function uncovered(built: readonly BuiltDto[], rules: FlatRules): BuiltDto[] {
  const open: BuiltDto[] = [];
  return built.filter((dto) => {
    while (open.length > 0 && !encloses(open.at(-1) as BuiltDto, dto)) open.pop();
    const outer = open.at(-1);
    open.push(dto);
    if (outer === undefined) return true;
    const [property, ...indices] = dto.site.path.slice(outer.site.path.length);
    if (!indices.every((index) => typeof index === "number")) return true;
    return !rules.of(outer.instance).some((rule) => rule.type === "nestedValidation" && rule.propertyName === property);
  });
}

function encloses(outer: BuiltDto, inner: BuiltDto): boolean {
  return outer.site.path.length < inner.site.path.length && outer.site.path.every((key, index) => key === inner.site.path[index]);
}

class Validation {
  readonly issues: Issue[] = [];
  private readonly dtos: ReadonlyMap<object, BuiltDto>;
  private readonly seen = new Set<object>();

  constructor(
    private readonly validator: ClassValidator,
    private readonly rules: FlatRules,
    built: readonly BuiltDto[],
  ) {
    this.dtos = new Map(built.map((dto) => [dto.instance, dto]));
  }

  /** Validates an object, or the elements of a collection one after the other: what is wrong with one is let go before the next. */
  async value(value: unknown, path: readonly string[]): Promise<void> {
    if (typeof value !== "object" || value === null) return;
    const entries = entriesOf(value);
    if (entries === undefined) return this.object(value, path);
    for (const [key, item] of entries) {
      // More would not help the model, and there may be hundreds of thousands.
      if (this.issues.length >= MAX_ISSUES) return;
      await this.value(item, [...path, String(key)]);
    }
  }

  private async object(object: object, path: readonly string[]): Promise<void> {
    if (this.issues.length >= MAX_ISSUES || this.seen.has(object) || this.rules.of(object).length === 0) return;
    this.seen.add(object);
    // Plain objects are checked by the schema alone: without the option, class-validator refuses them as unknown.
    const validate = (): Promise<ValidationError[]> => this.validator.validate(object, { forbidUnknownValues: false });
    const { found, parts, refusals } = await this.rules.run(object, validate);
    for (const error of found) this.collect(error, object, path, refusals);
    for (const { property, value } of parts) await this.value(value, [...path, property]);
  }

  private collect(error: ValidationError, object: object, path: readonly string[], refusals: ReadonlyMap<string, string>): void {
    for (const [type, message] of Object.entries(error.constraints ?? {})) {
      if (type !== "isDefined" && this.isAbsentOptional(error, object)) continue;
      const refusal = refusals.get(refusalKey(error.property, type));
      const expected = refusal === undefined ? withoutValue(message, error.value) : `${refusal} for the rule "${type}"`;
      this.issues.push({ path: dottedPath([...path, error.property]), expected: bounded(expected), received: kindOf(error.value) });
    }
  }

  private isAbsentOptional(error: ValidationError, object: object): boolean {
    const site = this.dtos.get(object)?.site;
    if (site === undefined || error.value !== undefined) return false;
    if (Object.hasOwn(site.json, error.property) || !site.optional.includes(error.property)) return false;
    // A condition (@ValidateIf) that held is the author's word that the property is needed in this case.
    return !this.rules.of(object).some((rule) => rule.type === "conditionalValidation" && rule.propertyName === error.property);
  }
}

/** The elements of a collection; undefined for any other object. */
function entriesOf(value: object): Iterable<readonly [unknown, unknown]> | undefined {
  if (Array.isArray(value) || value instanceof Map) return value.entries();
  return value instanceof Set ? [...value].entries() : undefined;
}

/** Messages may quote `$value`; issues name rules only. */
function withoutValue(message: string, value: unknown): string {
  return typeof value === "string" && value.length > 3 ? message.replaceAll(value, "…") : message;
}

function kindOf(value: unknown): string {
  if (value instanceof Date) return "a date";
  return typeof value === "object" && value !== null && !Array.isArray(value) ? "object" : received(value);
}
