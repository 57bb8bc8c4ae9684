import type { Item } from "../contracts/item.js";
import type { ModelRequest, ModelResponse } from "../contracts/model.js";
import { replyItems } from "./reply-items.js";
import type { TextRedactor } from "./redact-text.js";

/** Puts placeholders into requests and values into replies. Each item is looked through once, however many requests carry it. */
export class ItemRedactor {
  readonly #texts: TextRedactor;
  readonly #redacted = new WeakMap<Item, Item>();
  #instructions: readonly [given: string, redacted: string] | undefined;

  constructor(texts: TextRedactor) {
    this.#texts = texts;
  }

  /** The request as the model may see it; the same one when there is nothing to hide. */
  request(request: ModelRequest): ModelRequest {
    const instructions = this.#instructionsOf(request.instructions);
    const input = request.input.map((item) => this.#item(item));
    const same = instructions === request.instructions && input.every((item, index) => item === request.input[index]);
    return same ? request : { ...request, instructions, input };
  }

  /** The reply with the values back; the same one when there was nothing in it to put back. */
  response(response: ModelResponse, json: boolean): ModelResponse {
    const items = replyItems(response);
    const output = items.map((item) => this.#restored(item, json));
    return output.every((item, index) => item === items[index]) ? response : { ...response, output };
  }

  #instructionsOf(given: string | undefined): string | undefined {
    if (given === undefined) return undefined;
    if (this.#instructions?.[0] !== given) this.#instructions = [given, this.#texts.redact(given)];
    return this.#instructions[1];
  }

  #item(item: Item): Item {
    // What the model thought is sealed, and was written from what it was shown.
    if (item.type === "reasoning") return item;
    let redacted = this.#redacted.get(item);
    if (redacted === undefined) this.#redacted.set(item, (redacted = this.#redact(item, 0) as Item));
    return redacted;
  }

  /** A value with placeholders in its texts; the same one when nothing was hidden. */
  #redact(value: unknown, depth: number): unknown {
    if (typeof value === "string") return this.#texts.redact(value);
    // No item of the API is as deep as this.
    if (typeof value !== "object" || value === null || depth > 32) return value;
    if (Array.isArray(value)) {
      const entries = value.map((entry) => this.#redact(entry, depth + 1));
      return entries.every((entry, index) => entry === value[index]) ? value : entries;
    }
    let changed: Record<string, unknown> | undefined;
    for (const [key, field] of Object.entries(value)) {
      if (structure.has(key)) continue;
      const redacted = this.#redact(field, depth + 1);
      if (redacted !== field) (changed ??= { ...value })[key] = redacted;
    }
    return changed ?? value;
  }

  #restored(item: Item, json: boolean): Item {
    const restored = item.type === "message" ? this.#restoredMessage(item, json) : this.#restoredCall(item);
    // It goes back as the model wrote it, letter by letter, unless something in there only looks as if it had been handed out.
    if (restored !== item && !this.#texts.holdsUnknown(JSON.stringify(item))) this.#redacted.set(restored, item);
    return restored;
  }

  /** Tools get the values; so does the person who is asked about a call of a hosted server, which has the placeholders itself. */
  #restoredCall(item: Item): Item {
    const { arguments: json, input: text } = item;
    if ((item.type === "function_call" || item.type === "mcp_approval_request") && typeof json === "string") {
      const restored = this.#texts.restoreJson(json);
      return restored === json ? item : { ...item, arguments: restored };
    }
    if (item.type !== "custom_tool_call" || typeof text !== "string") return item;
    const restored = this.#texts.restoreAny(text);
    return restored === text ? item : { ...item, input: restored };
  }

  #restoredMessage(item: Item, json: boolean): Item {
    const restore = (text: string): string => (json ? this.#texts.restoreJson(text) : this.#texts.restore(text));
    const { content } = item;
    if (typeof content === "string") return restore(content) === content ? item : { ...item, content: restore(content) };
    if (!Array.isArray(content)) return item;
    const parts = (content as readonly unknown[]).map((part) => {
      const { text, refusal } = (part ?? {}) as { readonly text?: unknown; readonly refusal?: unknown };
      if (typeof text === "string" && restore(text) !== text) return { ...(part as object), text: restore(text) };
      if (typeof refusal === "string" && this.#texts.restore(refusal) !== refusal)
        return { ...(part as object), refusal: this.#texts.restore(refusal) };
      return part;
    });
    return parts.every((part, index) => part === content[index]) ? item : { ...item, content: parts };
  }
}

/** Fields that name things or hold sealed or binary data: nothing that a person wrote, or nothing that can be read here. */
const structure: ReadonlySet<string> = new Set([
  "id",
  "type",
  "role",
  "status",
  "phase",
  "call_id",
  "name",
  "namespace",
  "detail",
  "encrypted_content",
  "image_url",
  "file_id",
  "file_data",
  "file_url",
]);
