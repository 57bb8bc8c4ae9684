import type { Item } from "../contracts/item.js";

// Each item is serialised once in its life, however many requests carry it.
const texts = new WeakMap<Item, string>();

/** An item as JSON text that the API accepts: without nulls and without the client's own fields. Serialised once. */
export function wireText(item: Item): string {
  let text = texts.get(item);
  if (text === undefined) {
    text = toWireText(item);
    texts.set(item, text);
  }
  return text;
}

// Added by the official client's helpers to what the server sent; the API refuses them on the way back.
const clientFields: ReadonlySet<string> = new Set(["parsed", "parsed_arguments", "created_by", "output_text"]);

function toWireText(item: Item): string {
  // What has to go is rare: a look through the item costs less than a copy of it.
  if (item["id"] === "" || holdsRefused(item, 0)) return JSON.stringify(withoutRefused(item, 0));
  const text = JSON.stringify(item);
  // JSON writes half a surrogate pair as an escape, which no server can read back.
  return text.includes("\\ud") ? JSON.stringify(withoutRefused(item, 0)) : text;
}

function holdsRefused(value: object, depth: number): boolean {
  for (const key in value) {
    const field = (value as Record<string, unknown>)[key];
    if (field === null) return true;
    if (depth <= 2 && clientFields.has(key)) return true;
    if (typeof field === "object" && depth < 4 && holdsRefused(field, depth + 1)) return true;
  }
  return false;
}

function withoutRefused(value: unknown, depth: number): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return value.map((entry) => withoutRefused(entry, depth + 1));
  if (typeof value !== "object" || value === null) return value;
  const kept: Record<string, unknown> = {};
  for (const [key, field] of Object.entries(value)) {
    if (field === null) continue;
    // At depth 0 the item itself, at depth 2 a part of its content: deeper ones may be a tool's own data.
    if (depth <= 2 && clientFields.has(key)) continue;
    if (depth === 0 && key === "id" && field === "") continue;
    kept[key] = depth >= 4 ? field : withoutRefused(field, depth + 1);
  }
  return kept;
}
