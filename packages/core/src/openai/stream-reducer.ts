import type { Item } from "../contracts/item.js";
import type { ModelDelta } from "../contracts/model.js";
import type { WireResponse } from "./response.js";

/** An event of the stream as it may come. Types that are not known are let go. */
export interface StreamEvent {
  readonly type?: string | undefined;
  readonly output_index?: number | undefined;
  readonly item_id?: string | undefined;
  readonly item?: Item | undefined;
  readonly delta?: unknown;
  readonly arguments?: unknown;
  readonly response?: unknown;
  readonly [key: string]: unknown;
}

const textDelta = '{"type":"response.output_text.delta",';
// Inside a text the quotes would be escaped, so that this is the event's own key.
const deltaKey = '"delta":"';

interface OpenItem {
  item: Item;
  done: boolean;
  /** Argument text so far. Never parsed here. */
  argumentText: string;
  /** What was told whole of its content and of its summary, by index: all there is of an item that is never told to be done. */
  readonly content: Map<unknown, object>;
  readonly summary: Map<unknown, object>;
}

/**
 * Puts a response together from its events. Items are told apart by `output_index`, then by item id, never by "the latest
 * one": servers interleave parallel calls, and some leave the index out.
 */
export class StreamReducer {
  responseId: string | undefined;
  #text = "";
  // Joined now and then: text that grows by a word at a time would be a chain of thousands of small strings.
  #pieces: string[] = [];
  readonly #byIndex = new Map<number, OpenItem>();
  readonly #byId = new Map<string, OpenItem>();
  readonly #order: OpenItem[] = [];

  /** Visible text so far, for errors. */
  get text(): string {
    if (this.#pieces.length > 0) {
      this.#text += this.#pieces.join("");
      this.#pieces = [];
    }
    return this.#text;
  }

  /**
   * Takes an event that is nothing but a piece of plain text, without parsing it: most events of a long answer are. Undefined
   * for every other one, and for text with an escape in it. The event is `source` from `start` to `end`.
   */
  takePlainText(source: string, start: number, end: number): ModelDelta | undefined {
    if (!source.startsWith(textDelta, start)) return undefined;
    const key = source.indexOf(deltaKey, start + textDelta.length);
    if (key === -1 || key > end) return undefined;
    const from = key + deltaKey.length;
    const to = source.indexOf('"', from);
    if (to === -1 || to > end) return undefined;
    const text = source.slice(from, to);
    if (text.includes("\\")) return undefined;
    return this.#addText(text);
  }

  /** Takes an event; gives what is worth telling. */
  take(event: StreamEvent): ModelDelta | undefined {
    switch (event.type) {
      case "response.output_text.delta":
        return this.#addText(textOf(event.delta));
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        return deltaOf("reasoning-delta", textOf(event.delta));
      case "response.refusal.delta":
        return deltaOf("refusal-delta", textOf(event.delta));
      case "response.created": {
        const id = (event.response as WireResponse | undefined)?.id;
        this.responseId = typeof id === "string" && id !== "" ? id : undefined;
        return { type: "response-start", responseId: this.responseId };
      }
      case "response.output_item.added":
        return this.#added(event);
      case "response.output_item.done":
        return this.#done(event);
      case "response.custom_tool_call_input.delta":
      case "response.function_call_arguments.delta":
        return this.#argumentDelta(event);
      case "response.custom_tool_call_input.done":
      case "response.function_call_arguments.done":
        return this.#argumentsDone(event);
      case "response.output_text.done":
        return this.#partDone(event, "content", { type: "output_text", text: String(event["text"]), annotations: [] });
      case "response.refusal.done":
        return this.#partDone(event, "content", { type: "refusal", refusal: String(event["refusal"]) });
      case "response.content_part.done":
        return this.#partDone(event, "content", event["part"]);
      case "response.reasoning_summary_part.done":
        return this.#partDone(event, "summary", event["part"]);
      default:
        return undefined;
    }
  }

  #addText(text: string): ModelDelta | undefined {
    if (this.#pieces.push(text) === 256) void this.text;
    return deltaOf("text-delta", text);
  }

  /** The items of the response: those of the last event and those told one by one, the fuller of the two. */
  output(response: WireResponse): readonly Item[] | undefined {
    const told = this.#order.map((open) => open.item);
    const listed = Array.isArray(response.output) ? (response.output as Item[]) : undefined;
    if (listed === undefined || listed.length === 0) return this.#order.length === 0 ? listed : this.#closed();
    return listed.map((item, index) => merged(item, told[index]));
  }

  #closed(): readonly Item[] {
    // Of several messages, plain deltas do not tell whose they are.
    const single = this.#order.filter(({ item }) => item.type === "message").length === 1;
    return this.#order.map((open) => closed(open, single ? this.text : ""));
  }

  #added(event: StreamEvent): ModelDelta | undefined {
    if (!isItem(event.item)) return undefined;
    const open: OpenItem = { item: event.item, done: false, argumentText: "", content: new Map(), summary: new Map() };
    this.#order.push(open);
    if (typeof event.output_index === "number") this.#byIndex.set(event.output_index, open);
    const id = event.item["id"];
    if (typeof id === "string" && id !== "") this.#byId.set(id, open);
    const { phase } = open.item;
    if (open.item.type === "message" && typeof phase === "string") return { type: "message-start", phase };
    if (open.item.type !== "function_call" && open.item.type !== "custom_tool_call") return undefined;
    return { type: "tool-input-start", callId: String(open.item["call_id"]), tool: String(open.item["name"]) };
  }

  #done(event: StreamEvent): undefined {
    if (!isItem(event.item)) return undefined;
    const open = this.#find(event, event.item["id"]);
    if (open === undefined) this.#added(event);
    const found = open ?? this.#order.at(-1);
    if (found !== undefined) {
      found.item = event.item;
      found.done = true;
    }
    return undefined;
  }

  #argumentDelta(event: StreamEvent): ModelDelta | undefined {
    const open = this.#find(event, event.item_id);
    if (open === undefined) return undefined;
    const delta = textOf(event.delta);
    open.argumentText += delta;
    return delta === "" ? undefined : { type: "tool-input-delta", callId: String(open.item["call_id"]), delta };
  }

  #argumentsDone(event: StreamEvent): ModelDelta | undefined {
    const open = this.#find(event, event.item_id);
    if (open === undefined) return undefined;
    const whole = event.arguments ?? event["input"];
    if (typeof whole === "string") open.argumentText = whole;
    return { type: "tool-input-end", callId: String(open.item["call_id"]), arguments: open.argumentText };
  }

  #partDone(event: StreamEvent, list: "content" | "summary", part: unknown): undefined {
    const open = this.#find(event, event.item_id);
    if (typeof part === "object" && part !== null) open?.[list].set(event[`${list}_index`], part);
    return undefined;
  }

  #find(event: StreamEvent, id: unknown): OpenItem | undefined {
    const at = typeof event.output_index === "number" ? this.#byIndex.get(event.output_index) : undefined;
    return at ?? (typeof id === "string" ? this.#byId.get(id) : undefined);
  }
}

const textOf = (delta: unknown): string => (typeof delta === "string" ? delta : "");

// Nothing is nothing to tell: a request whose stream has said no more than that can still be repeated unseen.
const deltaOf = (type: "text-delta" | "reasoning-delta" | "refusal-delta", text: string): ModelDelta | undefined =>
  text === "" ? undefined : { type, text };

const isItem = (item: unknown): item is Item => typeof item === "object" && item !== null;

// Without its `.done`, an item is what came of it piece by piece.
function closed({ item, done, argumentText, content, summary }: OpenItem, text: string): Item {
  if (done) return item;
  if (item.type === "function_call") return item["arguments"] ? item : { ...item, arguments: argumentText, status: "completed" };
  if (item.type === "custom_tool_call") return item["input"] ? item : { ...item, input: argumentText, status: "completed" };
  if (item.type === "message" && isEmpty(item["content"])) {
    const parts = content.size === 0 && text !== "" ? [{ type: "output_text", text, annotations: [] }] : [...content.values()];
    return { ...item, content: parts, status: "completed" };
  }
  if (item.type !== "reasoning") return item;
  const told = { ...(summary.size > 0 && { summary: [...summary.values()] }), ...(content.size > 0 && { content: [...content.values()] }) };
  return { ...item, ...told };
}

const isEmpty = (list: unknown): boolean => !Array.isArray(list) || list.length === 0;

// Some servers send the encrypted reasoning in only one of the two places.
function merged(listed: Item, told: Item | undefined): Item {
  const same = told !== undefined && told.type === listed.type && told["id"] === listed["id"];
  if (!same || !told["encrypted_content"] || listed["encrypted_content"]) return listed;
  return { ...listed, encrypted_content: told["encrypted_content"] };
}
