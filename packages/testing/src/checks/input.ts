import type { Item } from "@toolwright/core";
import { ApiError } from "../api-error.js";
import { isRecord, type JsonRecord } from "../json-record.js";
import type { Store } from "../store.js";

/** One item of a request's `input`: as it was sent, and as the model reads it. */
export interface InputEntry {
  /** e.g. `input[1]`. */
  readonly place: string;
  readonly item: Item;
  /** Fetched from the store by a reference. */
  readonly referenced: boolean;
}

export const itemNotFound = (id: string): ApiError =>
  new ApiError(
    `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`,
    { status: 404, param: "input" },
  );

/** The items of `input` (or of another parameter) in one form: a text becomes a user message, a reference the item it names. */
export function readInput(input: unknown, store: Store, name = "input"): readonly InputEntry[] {
  if (input === undefined) return [];
  if (typeof input === "string") {
    return [{ place: "input", item: { type: "message", role: "user", content: [{ type: "input_text", text: input }] }, referenced: false }];
  }
  return (input as readonly unknown[]).map((entry, index) => {
    const place = `${name}[${index}]`;
    if (!isRecord(entry))
      throw new ApiError(`Invalid type for '${place}': expected an input item.`, { param: place, code: "invalid_type" });
    const type = itemType(entry);
    if (type === undefined)
      throw new ApiError(`Missing required parameter: '${place}.type'.`, { param: `${place}.type`, code: "missing_required_parameter" });
    if (type !== "item_reference") return { place, item: { ...entry, type }, referenced: false };
    const stored = store.persisted(entry["id"]);
    if (stored === undefined) throw itemNotFound(String(entry["id"]));
    return { place, item: stored, referenced: true };
  });
}

/** A message may leave its type out, and so may a reference. */
function itemType(entry: JsonRecord): string | undefined {
  if (typeof entry["type"] === "string") return entry["type"];
  if (typeof entry["role"] === "string") return "message";
  return typeof entry["id"] === "string" ? "item_reference" : undefined;
}
