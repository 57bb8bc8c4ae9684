import type { Definition } from "typescript-json-schema";
import type { PlanNode, UnionMember } from "../plan/plan.js";
import { rawName, type RawSchema, referenceName } from "./raw-schema.js";

/** A node of the raw schema with its reference followed; what stands beside the reference wins. */
export function dereference(node: Definition | undefined, { definitions }: RawSchema): Definition | undefined {
  if (node?.$ref === undefined) return node;
  const { $ref, ...siblings } = node;
  const target = definitions[referenceName($ref)];
  return target === undefined ? undefined : { ...dereference(target, { node: target, definitions }), ...siblings };
}

export const isDefinition = (node: unknown): node is Definition => typeof node === "object" && node !== null && !Array.isArray(node);

/**
 * Finds for each member of a union the branch that typescript-json-schema made of it: objects by the name of their
 * definition, arrays and objects without a name in the order in which both meet them, scalars by their type and values.
 *
 * @returns undefined for a member without a branch of its own (scalars are joined); `false` when one is missing.
 */
export function alignBranches(
  members: readonly UnionMember[],
  node: Definition,
  raw: RawSchema,
): ReadonlyMap<PlanNode, Definition> | false {
  const branches = (node.anyOf ?? [node]).filter(isDefinition);
  const found = new Map<PlanNode, Definition>();
  const inOrder = [...members].sort((one, other) => one.sourceIndex - other.sourceIndex);
  const free = new Set(branches);
  const take = (member: PlanNode, fits: (branch: Definition) => boolean): boolean => {
    const branch = [...free].find(fits);
    if (branch === undefined) return false;
    free.delete(branch);
    found.set(member, branch);
    return true;
  };
  for (const { node: member } of inOrder) {
    if (
      member.kind === "object" &&
      !take(member, isReferenceTo(rawName(member.type))) &&
      !take(member, (branch) => isPlainObject(branch, raw))
    )
      return false;
    if (member.kind === "array" && !take(member, (branch) => dereference(branch, raw)?.type === "array")) return false;
    if (member.kind === "date" && !take(member, (branch) => branch.type === "string" && branch.format === "date-time")) return false;
    if ((member.kind === "leaf" || member.kind === "literals") && !allows(branches, member, raw)) return false;
  }
  return found;
}

const isReferenceTo =
  (name: string) =>
  (branch: Definition): boolean =>
    branch.$ref !== undefined && referenceName(branch.$ref) === name;

const isPlainObject = (branch: Definition, raw: RawSchema): boolean =>
  (branch.$ref === undefined || referenceName(branch.$ref).startsWith("~")) && dereference(branch, raw)?.type === "object";

function allows(branches: readonly Definition[], member: PlanNode, raw: RawSchema): boolean {
  const scalars = branches.map((branch) => dereference(branch, raw) ?? {});
  if ((member.kind === "leaf" || member.kind === "literals") && member.ownReading === true) return true;
  const values = scalars.flatMap((branch): unknown[] => branch.enum ?? (branch.const === undefined ? [] : [branch.const]));
  if (member.kind === "literals") return member.values.every((value) => values.includes(value));
  if (member.kind !== "leaf") return true;
  // Beside other literals a boolean is the two of its own.
  const isBoth = member.type === "boolean" && values.includes(true) && values.includes(false);
  return isBoth || scalars.some(({ type, enum: own }) => own === undefined && (Array.isArray(type) ? type : [type]).includes(member.type));
}
