import { compareText } from "../compare.js";
import { type BuildProblem, orderProblems } from "../problem.js";
import type { Place, ProblemText, Remarks } from "./project.js";
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
}

/** Puts the units of a project together, and finds what only all of them show: twins, clashes, bases that nobody extends. */
export function joinUnits(units: readonly CompiledUnit[]): JoinedUnits {
  const errors: BuildProblem[] = units.flatMap((unit) => unit.errors);
  const warnings: BuildProblem[] = units.flatMap((unit) => unit.warnings);
  const say = (list: BuildProblem[], place: Place, subject: string, text: ProblemText): number => list.push({ ...place, subject, ...text });
  const toolkits = units.flatMap((unit) => unit.toolkits).sort((one, other) => compareText(one.name, other.name));
  const outputs = units.flatMap((unit) => unit.outputs).sort((one, other) => compareText(one.name, other.name));
  const extended = new Set(units.flatMap((unit) => unit.bases));
  for (const { id, name, place, why, text } of units.flatMap((unit) => unit.unoffered)) {
    if (why !== "form" && extended.has(id)) continue;
    say(why === "abstract" ? warnings : errors, place, name, text);
  }
  const exported = [...toolkits, ...outputs];
  for (const [one, other] of twins(exported)) say(errors, one.place, one.name, exportedTwin(one.name, other.file));
  const used = units.flatMap((unit) => unit.dtoClasses);
  for (const [one, other] of twins([...used, ...exported])) {
    if (used.includes(one) || used.includes(other)) say(errors, one.place, one.name, usedTwin(one.name, other.file));
  }
  for (const { place, label, owner, name } of clashes(toolkits)) say(warnings, place, label, sameName(owner, name));
  const inOrder = used.toSorted((one, other) => compareText(one.name, other.name));
  return {
    toolkits,
    outputs,
    dtoClasses: new Map(inOrder.map((each) => [each.name, each])),
    validators: units.flatMap((unit) => unit.validators),
    errors: orderProblems(errors),
    warnings: orderProblems(warnings),
  };
}

const exportedTwin = (name: string, file: string): ProblemText => ({
  reason: `Two exported classes with tools are named ${name}; the other one is in ${file}.`,
  fix: "Rename one of them: the generated module exports both.",
});

const usedTwin = (name: string, file: string): ProblemText => ({
  reason: `Two exported classes that tools use are named ${name}; the other one is in ${file}.`,
  fix: "Rename one of them: the generated module imports both.",
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

/** Classes may stay apart in different agents, so a common name is no error; in one agent it would be. */
function* clashes(toolkits: readonly UnitToolkit[]): Generator<{ place: Place; label: string; owner: string; name: string }> {
  const owners = new Map<string, UnitToolkit["tools"][number]>();
  for (const tool of toolkits.flatMap(({ tools }) => tools)) {
    const owner = owners.get(tool.name);
    if (owner === undefined) owners.set(tool.name, tool);
    else if (owner.id !== tool.id) yield { place: tool.place, label: tool.label, owner: owner.label, name: tool.name };
  }
}
