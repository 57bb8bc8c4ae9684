import type { DecodePlan, SchemaNode } from "../contracts/schema.js";
import { listed } from "./issue-text.js";
import { expectedOf, isPlainObject, jsonType, received, type JsonType } from "./json-type.js";
import { Report } from "./report.js";
import type { Check, SchemaScope, Union } from "./schema-scope.js";

interface Branch {
  readonly index: number;
  readonly node: SchemaNode;
  readonly check: Check;
  readonly types: ReadonlySet<JsonType>;
}

/** Which branch an object belongs to, told by one property that each branch fixes to its own values. */
interface Discriminator {
  readonly name: string;
  readonly branches: ReadonlyMap<unknown, Branch>;
}

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
    return { index, node: branch, types, check: scope.compile(scope, branch, plan?.anyOf?.[index] ?? undefined, `${path}|${index}`) };
  });
  const expected = expectedOf(node, (ref) => scope.resolve(ref));
  const discriminator = findDiscriminator(
    scope,
    branches.filter(({ types }) => types.has("object")),
  );

  /** The branches that may take the value: all of one JSON type, or the one that its discriminator names. */
  const candidates = (value: unknown): readonly Branch[] => {
    const type = jsonType(value);
    if (type === "object" && discriminator !== undefined) {
      const branch = discriminator.branches.get(ownValue(value, discriminator.name));
      return branch === undefined ? [] : [branch];
    }
    return branches.filter(({ types }) => type !== undefined && types.has(type));
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
      return possible.find(({ check }) => accepts(check, value, 0))?.index ?? -1;
    },
  };
}

function checkEach(possible: readonly Branch[], value: unknown, report: Report, expected: string): ReturnType<Check> {
  let closest: Report | undefined;
  for (const { check } of possible) {
    const trial = new Report();
    trial.depth = report.depth;
    const copy = check(value, trial);
    if (trial.count === 0) return copy;
    if (closest === undefined || trial.count < closest.count) closest = trial;
  }
  // Of containers, the branch with the least wrong is what was meant; of scalars, every rule is one to choose from.
  if (typeof value === "object" && closest !== undefined) report.take(closest);
  else report.add(expected, `another ${received(value)}`);
  return null;
}

function accepts(check: Check, value: unknown, depth: number): boolean {
  const trial = new Report();
  trial.depth = depth;
  check(value, trial);
  return trial.count === 0;
}

function ownValue(value: unknown, name: string): unknown {
  return Object.hasOwn(value as object, name) ? (value as Record<string, unknown>)[name] : undefined;
}

function findDiscriminator(scope: SchemaScope, branches: readonly Branch[]): Discriminator | undefined {
  const first = branches[0];
  if (first === undefined || branches.length < 2) return undefined;
  const objects = branches.map((branch) => ({ branch, properties: objectOf(scope, branch.node)?.properties ?? {} }));
  for (const name of Object.keys(objects[0]?.properties ?? {})) {
    const table = new Map<unknown, Branch>();
    const disjoint = objects.every(({ branch, properties }) => {
      const values = Object.hasOwn(properties, name) ? properties[name]?.enum : undefined;
      return values?.every((value) => value !== null && !table.has(value) && table.set(value, branch) !== undefined) ?? false;
    });
    if (disjoint) return { name, branches: table };
  }
  return undefined;
}

/** The object schema that a branch is or refers to; undefined for anything mixed. */
function objectOf(scope: SchemaScope, node: SchemaNode): SchemaNode | undefined {
  let target: SchemaNode | undefined = node;
  while (target?.$ref !== undefined) target = scope.resolve(target.$ref);
  return target?.anyOf === undefined ? target : undefined;
}
