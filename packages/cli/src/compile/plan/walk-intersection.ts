import { ts } from "typescript-json-schema";
import type { PlanNode } from "./plan.js";
import * as refuse from "./refusals.js";
import { type At, Unsupported } from "./unsupported.js";
import { walkObject } from "./walk-object.js";
import type { Walker } from "./walker.js";

/** A branded primitive is the primitive; objects that do not contradict each other are one object. */
export function walkIntersection(walker: Walker, type: ts.IntersectionType, at: At, hint: ts.TypeNode | undefined): PlanNode {
  const primitives = type.types.filter((part) => !(part.flags & ts.TypeFlags.Object));
  const [primitive] = primitives;
  if (primitive !== undefined) return branded(walker, type, primitives, at, hint);
  for (const part of type.types) {
    const isPlain = !walker.project.checker.isArrayType(part) && !walker.project.checker.isTupleType(part) && part.symbol?.name !== "Date";
    if (!isPlain) throw new Unsupported(at, refuse.mixedIntersection(walker.text(type)));
  }
  const conflict = firstConflict(walker, type);
  if (conflict !== undefined) throw new Unsupported(at, refuse.conflictingIntersection(walker.text(type), conflict));
  return walkObject(walker, type, at, undefined);
}

function branded(
  walker: Walker,
  type: ts.IntersectionType,
  primitives: readonly ts.Type[],
  at: At,
  hint: ts.TypeNode | undefined,
): PlanNode {
  const [primitive] = primitives;
  const node = primitive === undefined || primitives.length > 1 ? undefined : walker.type(primitive, at, hint);
  if (node?.kind !== "leaf" || node.type === "null") throw new Unsupported(at, refuse.mixedIntersection(walker.text(type)));
  return { ...node, ownReading: true };
}

/** A property that two parts declare with different types. */
function firstConflict({ project: { checker } }: Walker, type: ts.IntersectionType): string | undefined {
  for (const property of checker.getPropertiesOfType(type)) {
    const types = type.types.flatMap((part) => {
      const own = checker.getPropertyOfType(part, property.name);
      return own === undefined ? [] : [partsOf(checker.getTypeOfSymbol(own))];
    });
    if (types.some((parts) => parts.length !== types[0]?.length || parts.some((part, index) => part !== types[0]?.[index])))
      return property.name;
  }
  return undefined;
}

/** Members of a union but for `undefined`: an optional and a required declaration of one type agree. */
function partsOf(type: ts.Type): readonly ts.Type[] {
  return (type.isUnion() ? type.types : [type]).filter((part) => !(part.flags & ts.TypeFlags.Undefined));
}
