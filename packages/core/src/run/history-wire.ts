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
const clientFields = ["parsed", "parsed_arguments", "created_by", "output_text"];

function toWireText(item: Item): string {
  const text = JSON.stringify(item);
  // A cheap look decides: nulls, the client's fields, empty ids and halves of characters are rare, and need the slow way.
  const plain = !text.includes("null") && !text.includes("\\ud") && item["id"] !== "" && !clientFields.some((field) => text.includes(`"${field}":`));
  if (plain) return text;
  return JSON.stringify(withoutRefused(item, 0));
}

function withoutRefused(value: unknown, depth: number): unknown {
  // JSON writes half a surrogate pair as an escape, which no server can read back.
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return value.map((entry) => withoutRefused(entry, depth + 1));
  if (typeof value !== "object" || value === null) return value;
  const kept: Record<string, unknown> = {};
  for (const [key, field] of Object.entries(value)) {
    if (field === null) continue;
    // At depth 0 the item itself, at depth 2 a part of its content: deeper ones may be a tool's own data.
    if (depth <= 2 && clientFields.includes(key)) continue;
    if (depth === 0 && key === "id" && field === "") continue;
    kept[key] = depth >= 4 ? field : withoutRefused(field, depth + 1);
  }
  return kept;
}
