import { compareText } from "../compare.js";
import { type BuildProblem, orderProblems, type Place } from "../problem.js";
import type { ProblemText, Remarks, WarningText } from "./project.js";
import type { SeenValidator } from "./rules/seen-validators.js";
import { sameName } from "./same-name.js";
import type { CompiledUnit, UnitClass, UnitOutput, UnitToolkit } from "./unit.js";

/** What all files of a project bring together. */
export interface JoinedUnits extends Remarks {
  /** By name. */
  readonly toolkits: readonly UnitToolkit[];
  readonly outputs: readonly UnitOutput[];
  /** Classes that arguments and outputs become instances of, by name. */
  readonly dtoClasses: ReadonlyMap<string, UnitClass>;
  readonly validators: readonly SeenValidator[];
  /** Files that declare the types of tools and outputs. */
  readonly sources: ReadonlySet<string>;
}

/** Puts the units of a project together, and finds what only all of them show: twins, clashes, bases that nobody extends. */
export function joinUnits(units: readonly CompiledUnit[]): JoinedUnits {
  const errors: BuildProblem[] = units.flatMap((unit) => unit.errors);
  const warnings: BuildProblem[] = units.flatMap((unit) => unit.warnings);
  const say = (list: BuildProblem[], place: Place, subject: string, text: ProblemText | WarningText): number =>
    list.push({ ...place, subject, ...text });
  const toolkits = units.flatMap((unit) => unit.toolkits).sort((one, other) => compareText(one.name, other.name));
  const outputs = units.flatMap((unit) => unit.outputs).sort((one, other) => compareText(one.name, other.name));
  const extended = new Set(units.flatMap((unit) => unit.bases));
  for (const { id, name, place, why, text } of units.flatMap((unit) => unit.unoffered)) {
    if (why !== "form" && extended.has(id)) continue;
    if (why === "abstract") say(warnings, place, name, { ...text, code: "BUILD_ABSTRACT_TOOLS" });
    else say(errors, place, name, text);
  }
  const used = units.flatMap((unit) => unit.dtoClasses);
  for (const [one, other] of twins([...used, ...toolkits, ...outputs]))
    say(errors, one.place, one.name, sameClassName(one.name, other.file));
  for (const { place, label, owner, name } of clashes(toolkits))
    say(warnings, place, label, { ...sameName(owner, name), code: "BUILD_SAME_NAME" });
  const inOrder = used.toSorted((one, other) => compareText(one.name, other.name));
  return {
    toolkits,
    outputs,
    dtoClasses: new Map(inOrder.map((each) => [each.name, each])),
    validators: units.flatMap((unit) => unit.validators),
    sources: new Set(units.flatMap((unit) => unit.sources)),
    errors: orderProblems(errors),
    warnings: orderProblems(warnings),
  };
}

const sameClassName = (name: string, file: string): ProblemText => ({
  reason: `Two exported classes that the generated module imports are named ${name}; the other one is in ${file}.`,
  fix: "Rename one of them, or export it by another name: `export { Order as SalesOrder }`.",
});

/** Pairs of different classes of one name, each way round. */
function twins(classes: readonly UnitClass[]): readonly (readonly [UnitClass, UnitClass])[] {
  const byName = Map.groupBy(classes, ({ name }) => name);
  return [...byName.values()].flatMap((same) =>
    same.flatMap((one) => {
      const other = same.find(({ id }) => id !== one.id);
      return other === undefined ? [] : [[one, other] as const];
    }),
  );
}

/**
 * Classes may stay apart in different agents, so a common name is no error; in one agent it would be. An agent has a class
 * or its base, and what both call the same is one tool.
 */
function* clashes(toolkits: readonly UnitToolkit[]): Generator<{ place: Place; label: string; owner: string; name: string }> {
  const owners = new Map<string, { readonly toolkit: UnitToolkit; readonly tool: UnitToolkit["tools"][number] }>();
  for (const toolkit of toolkits) {
    for (const tool of toolkit.tools) {
      const owner = owners.get(tool.name);
      if (owner === undefined) owners.set(tool.name, { toolkit, tool });
      else if (owner.tool.id !== tool.id && !areRelated(toolkit, owner.toolkit))
        yield { place: tool.place, label: tool.label, owner: owner.tool.label, name: tool.name };
    }
  }
}

const areRelated = (one: UnitToolkit, other: UnitToolkit): boolean => one.bases.includes(other.id) || other.bases.includes(one.id);
