import type { DecodePlan, SchemaNode } from "../contracts/schema.js";
import { listed } from "./issue-text.js";
import { expectedOf, isPlainObject, jsonType, received } from "./json-type.js";
import { Report } from "./report.js";
import type { Check, SchemaScope, Union } from "./schema-scope.js";
import { type Branch, discriminatorOf, ownValue, shapeOf } from "./union-branch.js";

/** Compiles `anyOf`, once for each node and plan: the decoder asks for the same branch that the check took. */
export function compileUnion(scope: SchemaScope, node: SchemaNode, plan: DecodePlan | undefined, path: string): Union {
  const known = scope.unions.get(node) ?? new Map<DecodePlan | undefined, Union>();
  scope.unions.set(node, known);
  let union = known.get(plan);
  if (union === undefined) {
    union = makeUnion(scope, node, plan, path);
    known.set(plan, union);
  }
  return union;
}

function makeUnion(scope: SchemaScope, node: SchemaNode, plan: DecodePlan | undefined, path: string): Union {
  const nodes = node.anyOf ?? [];
  if (nodes.length === 0) throw scope.broken(path, '"anyOf" is empty');
  if (plan !== undefined && plan.anyOf === undefined) throw scope.broken(path, 'its decode plan has no "anyOf"');
  if ((plan?.anyOf?.length ?? 0) > nodes.length) throw scope.broken(path, 'its decode plan has more branches than "anyOf"');
  const branches = nodes.map((branch, index): Branch => {
    const types = scope.types(branch, path);
    const check = scope.compile(scope, branch, plan?.anyOf?.[index] ?? undefined, `${path}|${index}`);
    return { index, node: branch, types, check, fits: shapeOf(scope, branch, path) };
  });
  const expected = expectedOf(node, (ref) => scope.resolve(ref));
  const discriminator = discriminatorOf(
    scope,
    branches.filter(({ types }) => types.has("object")),
  );

  /** The branches that may take the value: by its JSON type, then by its discriminator, or else by its keys. */
  const candidates = (value: unknown): readonly Branch[] => {
    const type = jsonType(value);
    if (type === "object" && discriminator !== undefined) {
      const branch = discriminator.branches.get(ownValue(value, discriminator.name));
      return branch === undefined ? [] : [branch];
    }
    const typed = branches.filter(({ types }) => type !== undefined && types.has(type));
    if (type !== "object" || typed.length < 2) return typed;
    const fitting = typed.filter(({ fits }) => fits(value as Record<string, unknown>));
    return fitting.length > 0 ? fitting : typed;
  };
  return {
    check(value, report) {
      const possible = candidates(value);
      if (possible.length === 1) return (possible[0] as Branch).check(value, report);
      if (possible.length === 0) {
        if (discriminator === undefined || !isPlainObject(value)) return report.add(expected, received(value));
        const found = ownValue(value, discriminator.name);
        const rule = `one of ${listed([...discriminator.branches.keys()])}`;
        return report.add(rule, found === undefined ? "nothing" : `another ${received(found)}`, discriminator.name);
      }
      return checkEach(possible, value, report, expected);
    },
    branch(value) {
      const possible = candidates(value);
      // Of a value that passed the check, the only branch in question is the one.
      if (possible.length === 1) return (possible[0] as Branch).index;
      return possible.find(({ check }) => accepts(check, value))?.index ?? -1;
    },
  };
}

function checkEach(possible: readonly Branch[], value: unknown, report: Report, expected: string): ReturnType<Check> {
  let closest: Report | undefined;
  for (const { check } of possible) {
    const trial = report.trial();
    const copy = check(value, trial);
    if (trial.count === 0) return copy;
    // Unions inside unions multiply: the model hears of it, and nothing hangs.
    if (trial.exhausted) return report.add("a value that is less deeply nested in choices", "more ways to read it than are tried");
    if (closest === undefined || trial.count < closest.count) closest = trial;
  }
  // Of containers, the branch with the least wrong is what was meant; of scalars, every rule is one to choose from.
  if (typeof value === "object" && closest !== undefined) report.take(closest);
  else report.add(expected, `another ${received(value)}`);
  return null;
}

function accepts(check: Check, value: unknown): boolean {
  const trial = new Report().trial();
  check(value, trial);
  return trial.count === 0;
}
