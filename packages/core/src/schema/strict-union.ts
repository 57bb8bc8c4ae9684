import type { RawSchema, StrictContext, StrictNode } from "./strict-context.js";
import { kindOf, type Kind } from "./strict-kind.js";

/** Converts `anyOf`, and `oneOf` where the branches exclude each other so that both mean the same. */
export function convertUnion(context: StrictContext, raw: RawSchema, keyword: "anyOf" | "oneOf", path: string): StrictNode {
  const branches = raw[keyword];
  if (path === "")
    throw context.refuse(
      path,
      `the root is a choice (\`${keyword}\`)`,
      "Make the root an object, with the choice as one of its properties.",
    );
  if (!Array.isArray(branches) || branches.length === 0)
    throw context.refuse(path, `\`${keyword}\` is not a list of schemas`, "List at least one schema.");
  if (keyword === "oneOf") refuseOverlap(context, branches, path);
  const converted = branches.map((branch: unknown, index) => context.convert(context, branch, `${path}|${index}`));
  const plans = converted.map(({ plan }) => plan ?? null);
  return {
    schema: { anyOf: converted.map(({ schema }) => schema) },
    plan: plans.some((plan) => plan !== null) ? { anyOf: plans } : undefined,
  };
}

function refuseOverlap(context: StrictContext, branches: readonly unknown[], path: string): void {
  const kinds = branches.map((branch) => kindOf(context, branch, path));
  kinds.forEach((kind, index) => {
    for (const other of kinds.slice(0, index)) {
      if (exclude(kind, other)) continue;
      throw context.refuse(
        path,
        "`oneOf` has branches that can take the same value",
        "Use `anyOf`, or make the branches objects with a property that tells them apart.",
      );
    }
  });
}

function exclude(one: Kind, other: Kind): boolean {
  if (one.values !== undefined && other.values !== undefined) return !one.values.some((value) => other.values?.includes(value));
  if (one.types.length === 0 || other.types.length === 0) return false;
  const shared = one.types.filter((type) => other.types.includes(type));
  // Objects are closed here, and told apart by their keys.
  return shared.every((type) => type === "object");
}
