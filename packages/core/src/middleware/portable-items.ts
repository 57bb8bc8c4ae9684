import type { Item } from "../contracts/item.js";
import type { ModelRequest, ModelResponse } from "../contracts/model.js";

/** Sealed by the model that wrote them: no other one can open them. */
const sealed: ReadonlySet<string> = new Set(["reasoning", "compaction"]);
/** What any model takes; the ids are those of the server that made the item. */
const plain: ReadonlySet<string> = new Set([
  "message",
  "function_call",
  "function_call_output",
  "custom_tool_call",
  "custom_tool_call_output",
]);

/** Items as a model of another server can take them: without sealed ones, and plain ones without their ids. */
function portableItems(items: readonly Item[]): readonly Item[] {
  return items.filter(({ type }) => !sealed.has(type)).map(withoutId);
}

/** A request without what only the model that wrote it can read. */
export function portableRequest(request: ModelRequest): ModelRequest {
  return { ...request, input: Object.freeze(portableItems(request.input)) };
}

/** A reply that any other model can go on from. */
export function portableReply(response: ModelResponse): ModelResponse {
  return { ...response, output: portableItems(response.output) };
}

// The same copy of an item each time, so that it is written as JSON once.
const copies = new WeakMap<Item, Item>();

function withoutId(item: Item): Item {
  if (item["id"] === undefined || !plain.has(item.type)) return item;
  let copy = copies.get(item);
  if (copy === undefined) {
    const { id: _, ...rest } = item;
    copies.set(item, (copy = rest as Item)); // a rest loses the type's index signature
  }
  return copy;
}
