import { ts } from "typescript-json-schema";
import { orderMembers } from "./order.js";
import { nullLeaf, type PlanNode, type UnionMember } from "./plan.js";
import { lastName } from "./subject.js";
import * as refuse from "./refusals.js";
import { type At, Unsupported } from "./unsupported.js";
import { brandedPart, isEndless, literalOf } from "./literal.js";
import { literalsPlan } from "./literals.js";
import type { Walker } from "./walker.js";

/**
 * Makes the plan of a union's members, `undefined` taken out before.
 *
 * @param type - the whole union, by which a type that contains itself is known.
 */
export function walkUnion(walker: Walker, type: ts.Type, members: readonly ts.Type[], at: At, hint: ts.TypeNode | undefined): PlanNode {
  if (members.some((member) => member.flags & ts.TypeFlags.Undefined)) throw new Unsupported(at, refuse.undefinedItem);
  const [only] = members;
  if (only !== undefined && members.length === 1) return walker.type(only, at, hint);
  const ordered = orderMembers(members, hint, walker.project);
  const endless = members.find(isEndless);
  if (endless !== undefined) throw new Unsupported(at, refuse.endlessNumber(walker.text(endless)));
  if (ordered.every((member) => isScalar(member))) return unionOf(walker, type, scalars(walker, ordered, at, hint));
  return walker.define(
    type,
    at,
    false,
    () => ({
      kind: "union" as const,
      name: walker.names.give(type, lastName(at.subject)),
      uses: 1,
      recursive: false,
      members: [] as readonly UnionMember[],
    }),
    (plan) => {
      const sourceIndexes = new Map((type as ts.UnionType).types.map((member, index) => [member, index]));
      const rest = ordered
        .filter((member) => !isScalar(member))
        .map((member) => ({
          node: walker.attempt(() => walker.type(member, at, memberHint(member, hint, walker))) ?? nullLeaf,
          sourceIndex: sourceIndexes.get(member) ?? 0,
        }));
      plan.members = nullLast([...scalars(walker, ordered, at, hint), ...rest]);
      walker.unions.push({ plan, text: walker.text(type), at });
    },
  );
}

/** What is written as one node: booleans, literals, primitives, null. */
function isScalar(type: ts.Type): boolean {
  const { String: string, Number: number, Boolean: boolean, BooleanLiteral, Null } = ts.TypeFlags;
  return (type.flags & (string | number | boolean | BooleanLiteral | Null)) !== 0 || literalOf(type) !== undefined;
}

/** The scalar members: all literals as one node, and a literal that a primitive next to it covers left out. */
function scalars(walker: Walker, ordered: readonly ts.Type[], at: At, hint: ts.TypeNode | undefined): readonly UnionMember[] {
  const isBranded = (type: string): boolean =>
    ordered.some((member) => member.isIntersection() && member.types.some((part) => walker.text(part) === type));
  const literals = ordered.filter((member) => literalOf(member) !== undefined && !isBranded(typeof literalOf(member)));
  const booleans = literals.filter((member) => typeof literalOf(member) === "boolean");
  // Both of them are a boolean.
  const isBoolean = new Set(booleans.map(literalOf)).size === 2;
  const plan = literalsPlan(isBoolean ? literals.filter((member) => !booleans.includes(member)) : literals, walker.project.checker);
  const ownReading = booleans.some((member) => brandedPart(member) !== undefined) ? (true as const) : undefined;
  const nodes: readonly PlanNode[] = [
    ...(plan === undefined ? [] : [plan]),
    ...ordered.filter((member) => isScalar(member) && literalOf(member) === undefined).map((member) => walker.type(member, at, hint)),
    ...(isBoolean ? [{ kind: "leaf", type: "boolean", ownReading } as const] : []),
  ];
  return nodes.map((node) => ({ node, sourceIndex: 0 }));
}

function unionOf(walker: Walker, type: ts.Type, members: readonly UnionMember[]): PlanNode {
  const [only] = members;
  if (only !== undefined && members.length === 1) return only.node;
  return { kind: "union", name: "", uses: 1, recursive: false, members: nullLast(members) };
}

function nullLast(members: readonly UnionMember[]): readonly UnionMember[] {
  const rest = members.filter(({ node }) => !(node.kind === "leaf" && node.type === "null"));
  return rest.length === members.length ? members : [...rest, { node: nullLeaf, sourceIndex: 0 }];
}

/** The written form of one member, for the order of what is inside it. */
function memberHint(member: ts.Type, hint: ts.TypeNode | undefined, walker: Walker): ts.TypeNode | undefined {
  return walker.project.checker.isArrayType(member) ? hint : undefined;
}
