import type { SchemaNode } from "../contracts/schema.js";
import type { NodeCheck, SchemaScope } from "./schema-scope.js";
import { bitOf, NULL } from "./type-bits.js";

/** One branch of `anyOf`. */
export interface Branch {
  readonly index: number;
  readonly node: SchemaNode;
  readonly check: NodeCheck;
  /** JSON types that it takes. */
  readonly bits: number;
  /** Whether an object has the branch's keys with values of the right JSON types: a look at the surface. */
  readonly fits: (value: Readonly<Record<string, unknown>>) => boolean;
}

/** Which branch an object belongs to, told by one property that each branch fixes to its own values. */
export interface Discriminator {
  readonly name: string;
  readonly branches: ReadonlyMap<unknown, Branch>;
}

/** The discriminator of branches that are objects; undefined when they have none. */
export function discriminatorOf(scope: SchemaScope, branches: readonly Branch[]): Discriminator | undefined {
  if (branches.length < 2) return undefined;
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

/**
 * Makes the look at the surface of an object. Without it, each level of a recursive union would try each branch to its
 * very end, and the work would double with every level.
 */
export function shapeOf(scope: SchemaScope, node: SchemaNode): Branch["fits"] {
  const object = objectOf(scope, node);
  if (object?.properties === undefined) return () => true;
  let types: Map<string, number> | undefined;
  return (value) => {
    types ??= new Map(Object.entries(object.properties ?? {}).map(([name, child]) => [name, scope.bits(child)]));
    for (const [name, bits] of types) {
      const item = ownValue(value, name);
      // Absent optionals are missing, and the check knows which are.
      if ((bits & (item === undefined ? NULL : bitOf(item))) === 0) return false;
    }
    return Object.keys(value).every((name) => types?.has(name) === true || value[name] === undefined);
  };
}

/** A property of the value itself; undefined when there is none. */
export function ownValue(value: unknown, name: string): unknown {
  return Object.hasOwn(value as object, name) ? (value as Record<string, unknown>)[name] : undefined;
}

/** The object schema that a branch is or refers to; undefined for anything mixed. */
function objectOf(scope: SchemaScope, node: SchemaNode): SchemaNode | undefined {
  let target: SchemaNode | undefined = node;
  while (target?.$ref !== undefined) target = scope.resolve(target.$ref);
  return target?.anyOf === undefined ? target : undefined;
}
