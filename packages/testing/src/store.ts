import type { Item } from "@toolwright/core";
import { ApiError } from "./api-error.js";
import type { BackgroundResponse } from "./background-response.js";
import { IdMaker } from "./ids.js";
import type { JsonRecord } from "./json-record.js";

/** What the server remembers of an item that it sent, whether or not the item was stored. */
interface Issued {
  readonly type: string;
  /** The reasoning item that it was sent with, and without which it may not come back. */
  readonly reasoning: string | undefined;
  /** For a reasoning item: the id of the item right after it. */
  readonly follower: string | undefined;
}

/** A response that later requests may build on. */
export interface StoredResponse {
  readonly response: JsonRecord;
  readonly input: readonly Item[];
  readonly output: readonly Item[];
  readonly previous: StoredResponse | undefined;
}

/** A conversation and who works on it. */
export interface Conversation {
  readonly id: string;
  readonly createdAt: number;
  readonly metadata: JsonRecord;
  readonly items: Item[];
  locked: boolean;
}

/** Everything that the server keeps between requests. */
export class Store {
  readonly ids = new IdMaker();
  readonly responses = new Map<string, StoredResponse>();
  /** Those that were asked for in the background, done or not. */
  readonly background = new Map<string, BackgroundResponse>();
  readonly conversations = new Map<string, Conversation>();
  readonly #issued = new Map<string, Issued>();
  readonly #persisted = new Map<string, Item>();
  readonly #encrypted = new Set<string>();
  readonly #lent = new Set<string>();

  /** Remembers the items of a reply by their ids. */
  issue(items: readonly Item[], encryptedContents: readonly string[]): void {
    let reasoning: string | undefined;
    for (const [index, item] of items.entries()) {
      const id = item["id"];
      const follower = items[index + 1]?.["id"];
      if (typeof id === "string") {
        this.#issued.set(id, { type: item.type, reasoning, follower: typeof follower === "string" ? follower : undefined });
        if (item.type === "reasoning") reasoning = id;
      }
    }
    for (const text of encryptedContents) this.#encrypted.add(text);
  }

  issued(id: unknown): Issued | undefined {
    return typeof id === "string" ? this.#issued.get(id) : undefined;
  }

  /** Whether this server ever sent an item of this type. */
  issuedType(type: string): boolean {
    for (const item of this.#issued.values()) if (item.type === type) return true;
    return false;
  }

  issuedEncrypted(text: string): boolean {
    return this.#encrypted.has(text);
  }

  persisted(id: unknown): Item | undefined {
    return typeof id === "string" ? this.#persisted.get(id) : undefined;
  }

  keep(id: string, stored: StoredResponse): void {
    this.responses.set(id, stored);
    this.#persist([...stored.input, ...stored.output]);
  }

  /** All items that a stored response and those before it hold, oldest first. */
  chain(last: StoredResponse): readonly Item[] {
    const parts: (readonly Item[])[] = [];
    for (let current: StoredResponse | undefined = last; current !== undefined; current = current.previous) {
      parts.push(current.output, current.input);
    }
    return parts.reverse().flat();
  }

  response(id: string): StoredResponse {
    const stored = this.responses.get(id);
    if (stored === undefined) throw new ApiError(`Response with id '${id}' not found.`, { status: 404 });
    return stored;
  }

  createConversation(items: readonly Item[], metadata: JsonRecord, id = this.ids.next("conv")): Conversation {
    const conversation: Conversation = { id, createdAt: Math.floor(Date.now() / 1000), metadata, items: [], locked: false };
    this.conversations.set(id, conversation);
    this.append(conversation, items);
    return conversation;
  }

  conversation(id: string): Conversation {
    const conversation = this.conversations.get(id);
    if (conversation === undefined) throw new ApiError(`Conversation with id '${id}' not found.`, { status: 404 });
    return conversation;
  }

  append(conversation: Conversation, items: readonly Item[]): readonly Item[] {
    const stored = this.stored(items);
    conversation.items.push(...stored);
    this.#persist(stored);
    return stored;
  }

  /** Items as they are stored: each has an id, and a message its parts, even if it came as plain text. */
  stored(items: readonly Item[]): readonly Item[] {
    return items.map((item) => {
      const whole = item.type === "message" ? inParts(item) : item;
      if (typeof whole["id"] === "string") return whole;
      const id = this.ids.forItem(whole.type);
      this.#lent.add(id);
      return { ...whole, id };
    });
  }

  /** Whether the id was given to an item that came without one: it says nothing about which reply the item is from. */
  lent(id: string): boolean {
    return this.#lent.has(id);
  }

  #persist(items: readonly Item[]): void {
    for (const item of items) if (typeof item["id"] === "string") this.#persisted.set(item["id"], item);
  }
}

function inParts(message: Item): Item {
  const { content } = message;
  if (typeof content !== "string") return message;
  const part =
    message["role"] === "assistant" ? { type: "output_text", text: content, annotations: [] } : { type: "input_text", text: content };
  return { ...message, status: message["status"] ?? "completed", content: [part] };
}
