import { isRecord, type JsonRecord } from "../json-record.js";
import type { NodeContext } from "./node-context.js";

/** Where a root keeps its definitions. The second is the older word, which OpenAI's own client writes for recursive schemas. */
export const definitionKeywords = ["$defs", "definitions"] as const;

/** The schema that a reference names, when it is `#`, `#/$defs/<name>` or `#/definitions/<name>` and exists. */
export function resolveReference(reference: unknown, root: JsonRecord): JsonRecord | undefined {
  if (reference === "#") return root;
  const place = definitionPlace(reference);
  if (place === undefined) return undefined;
  const { keyword, name } = place;
  const definitions = root[keyword];
  if (!isRecord(definitions) || !Object.hasOwn(definitions, name)) return undefined;
  const definition = definitions[name];
  return isRecord(definition) ? definition : undefined;
}

/** Follows references from a node to a schema that is not one; undefined when they lead nowhere. */
export function dereference(node: unknown, root: JsonRecord): JsonRecord | undefined {
  const passed = new Set<unknown>();
  let current = isRecord(node) ? node : undefined;
  while (current !== undefined && Object.hasOwn(current, "$ref")) {
    if (passed.has(current)) return undefined;
    passed.add(current);
    current = resolveReference(current["$ref"], root);
  }
  return current;
}

function definitionPlace(reference: unknown): { readonly keyword: string; readonly name: string } | undefined {
  if (typeof reference !== "string") return undefined;
  const keyword = definitionKeywords.find((word) => reference.startsWith(`#/${word}/`));
  if (keyword === undefined) return undefined;
  const raw = reference.slice(`#/${keyword}/`.length);
  if (raw === "" || raw.includes("/")) return undefined;
  try {
    return { keyword, name: decodeURIComponent(raw).replaceAll("~1", "/").replaceAll("~0", "~") };
  } catch {
    return undefined;
  }
}

/** A reference stands alone, points to the root or to a definition at the top, and leads to a schema. */
export function checkReference(node: JsonRecord, { root, report }: NodeContext): void {
  const siblings = Object.keys(node).filter((keyword) => keyword !== "$ref");
  if (siblings.length > 0) report(`$ref cannot have keywords {${siblings.map((keyword) => `'${keyword}'`).join(", ")}}.`);
  const reference = node["$ref"];
  if (reference !== "#" && definitionPlace(reference) === undefined) {
    report("reference can only point to definitions defined at the top level of the schema.");
  } else if (resolveReference(reference, root) === undefined) {
    report(`reference to component '${String(reference)}' which was not found in the schema.`);
  } else if (dereference(node, root) === undefined) {
    report(`reference '${String(reference)}' only leads to other references.`);
  }
}
