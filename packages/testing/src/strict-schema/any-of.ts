import { isRecord, type JsonRecord } from "../json-record.js";
import type { NodeContext } from "./node-context.js";
import { dereference } from "./reference.js";

interface FirstKey {
  readonly key: string;
  /** The literals that the key can have, or undefined when it is open. */
  readonly literals: readonly unknown[] | undefined;
}

/**
 * Branches are told apart by their first key, since the model writes keys in the schema's order: two object branches may
 * share one only if it is a discriminator, that is, if its literals differ.
 */
export function checkAnyOf(node: JsonRecord, { root, report }: NodeContext): void {
  const branches = node["anyOf"];
  if (!Array.isArray(branches) || branches.length === 0) return report("'anyOf' must be a non-empty array.");
  const firstKeys = objectBranches(branches, root).map((branch) => firstKey(branch, root));
  for (const [index, later] of firstKeys.entries()) {
    const clash = firstKeys
      .slice(0, index)
      .some((earlier) => later !== undefined && earlier !== undefined && later.key === earlier.key && overlap(later, earlier));
    if (clash) {
      return report(
        "objects provided via 'anyOf' must not share identical first keys. Put a discriminator first: a key whose literal differs in each branch.",
      );
    }
  }
}

/** The object schemas among the branches, those of nested `anyOf` included. */
function objectBranches(branches: readonly unknown[], root: JsonRecord, depth = 0): readonly JsonRecord[] {
  return branches.flatMap((entry) => {
    const branch = dereference(entry, root);
    if (branch === undefined) return [];
    const nested = branch["anyOf"];
    if (Array.isArray(nested) && depth < 10) return objectBranches(nested, root, depth + 1);
    return isRecord(branch["properties"]) ? [branch] : [];
  });
}

function firstKey(branch: JsonRecord, root: JsonRecord): FirstKey | undefined {
  const properties = branch["properties"];
  const [first] = isRecord(properties) ? Object.entries(properties) : [];
  if (first === undefined) return undefined;
  const schema = dereference(first[1], root);
  if (schema !== undefined && Object.hasOwn(schema, "const")) return { key: first[0], literals: [schema["const"]] };
  const values = schema?.["enum"];
  return { key: first[0], literals: Array.isArray(values) ? values : undefined };
}

const overlap = (one: FirstKey, other: FirstKey): boolean =>
  one.literals === undefined || other.literals === undefined || one.literals.some((literal) => other.literals?.includes(literal));
