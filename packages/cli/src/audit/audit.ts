import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import type { CompiledProject } from "../compile/compile-project.js";
import type { SeenValidator } from "../compile/rules/seen-validators.js";
import type { UnitClass } from "../compile/unit.js";
import { type BuildProblem, orderProblems } from "../problem.js";
import { compiledFile } from "./compiled-file.js";
import { type ClassToLoad, readMetadata, type ValidatorMetadata } from "./read-metadata.js";

/**
 * Compares the decorators that the build saw with those that class-validator has at run time: one that is made by a
 * function of the author's own is checked there, and the model is not told. Imports the compiled classes, which runs the
 * project's code.
 *
 * @throws ToolwrightError `BUILD_CONFIG` when the classes cannot be loaded.
 */
export async function audit({ config, dtoClasses, validators }: CompiledProject): Promise<readonly BuildProblem[]> {
  const classes = [...dtoClasses.values()];
  const validated = new Set(validators.map(({ classId }) => classId));
  // Classes without any decorator may have composed ones only; those of other packages are theirs to audit.
  const own = classes.filter(({ isOwn, id }) => isOwn || validated.has(id));
  if (own.length === 0) return [];
  const loaded = own.map((each): ClassToLoad => ({ id: each.id, exportName: exportOf(each), module: moduleOf(each, config.configPath) }));
  const metadata = await readMetadata(loaded, dirname(config.configPath));
  return orderProblems(own.flatMap((each) => differences(each, metadata, validators)));
}

const exportOf = ({ source, name }: UnitClass): string => source?.exportName ?? name;

function moduleOf({ isOwn, file, source }: UnitClass, configPath: string): string {
  return isOwn ? pathToFileURL(compiledFile(configPath, file)).href : (source?.specifier ?? "");
}

function differences(
  { id, name, place }: UnitClass,
  metadata: readonly ValidatorMetadata[],
  validators: readonly SeenValidator[],
): readonly BuildProblem[] {
  // A class that several tools take was seen once for each.
  const seen = new Map(validators.filter(({ classId }) => classId === id).map((each) => [keyOf(each), each]));
  const found = new Map(metadata.filter(({ classId }) => classId === id).map((each) => [keyOf(each), each]));
  const unseen = [...found]
    .filter(([key]) => !seen.has(key))
    .map(([, each]) => ({ ...place, subject: `${name}.${each.property}`, ...unseenText(each) }));
  const gone = [...seen]
    .filter(([key]) => !found.has(key))
    .map(([, each]) => ({ ...each.place, subject: `${name}.${each.property}`, ...goneText(each) }));
  const changed = [...seen].flatMap(([key, each]) => {
    const other = found.get(key);
    const isOther = other !== undefined && each.constraints !== undefined && !startsWith(other.constraints, each.constraints);
    return isOther ? [{ ...each.place, subject: `${name}.${each.property}`, ...changedText(each, other) }] : [];
  });
  return [...unseen, ...gone, ...changed];
}

/** Decorators whose metadata bear another name than theirs. */
const otherNames: Readonly<Record<string, string>> = {
  length: "islength",
  validatenested: "nestedvalidation",
  validatepromise: "promisevalidation",
  validateif: "conditionalvalidation",
  allow: "whitelistvalidation",
  validate: "customvalidation",
};

function keyOf(each: SeenValidator | ValidatorMetadata): string {
  const plain = ("decorator" in each ? each.decorator : each.name).toLowerCase();
  // Of a nested object, class-validator does not say whether it is one of many.
  const name = otherNames[plain] ?? plain;
  return `${each.property}:${name}:${name === "nestedvalidation" ? "" : String(each.each)}`;
}

/** class-validator adds empty options and, for enums, the values. */
function startsWith(constraints: readonly unknown[], known: readonly unknown[]): boolean {
  return known.every((value, index) => JSON.stringify(constraints[index]) === JSON.stringify(value));
}

const shown = (constraints: readonly unknown[] | undefined): string => (constraints ?? []).map((value) => JSON.stringify(value)).join(", ");

const unseenText = ({ name, constraints }: ValidatorMetadata): { reason: string; fix: string } => ({
  reason: `At run time it is also checked by ${name}(${shown(constraints.filter((value) => value !== null && value !== undefined))}), which the build did not see, so the model is not told.`,
  fix: "Put class-validator's own decorator on the property, or say the rule in its doc comment.",
});

const goneText = ({ decorator }: SeenValidator): { reason: string; fix: string } => ({
  reason: `The build saw @${decorator}, which the compiled class does not have.`,
  fix: "Compile again, e.g. `npx tsc`.",
});

const changedText = ({ decorator, constraints }: SeenValidator, other: ValidatorMetadata): { reason: string; fix: string } => ({
  reason: `The build read @${decorator}(${shown(constraints)}), and at run time it is @${decorator}(${shown(other.constraints)}).`,
  fix: "Write the arguments as constants that do not depend on the environment, and compile again.",
});
