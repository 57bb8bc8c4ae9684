import type { ts } from "typescript-json-schema";
import { type Constant, constantOf, ConstantPattern } from "../constant.js";
import type { Project } from "../project.js";

/**
 * The sentence that tells the model what it gets for null. Only constants are shown: anything else may hold what is not
 * for it.
 *
 * @param documented - the text of a `@default` tag.
 */
export function defaultWords(initializer: ts.Expression | undefined, documented: string | undefined, project: Project): string | undefined {
  if (initializer === undefined) return documented === undefined ? undefined : `Default: ${documented.replace(/\.$/, "")}.`;
  const constant = constantOf(initializer, project);
  if (constant === undefined) return "Has a default.";
  // Null is what the model writes in any case, where it may.
  if (constant.value === undefined || constant.value === null) return undefined;
  return isJson(constant.value) ? `Default: ${JSON.stringify(constant.value)}.` : "Has a default.";
}

function isJson(value: Constant): boolean {
  if (value === null) return true;
  if (typeof value !== "object") return value !== undefined && (typeof value !== "number" || Number.isFinite(value));
  if (value instanceof ConstantPattern) return false;
  return Object.values(value).every(isJson);
}
