import type { IncomingHttpHeaders } from "node:http";
import type { Item } from "@toolwright/core";
import type { OutputPart, Reply } from "./reply.js";
import type { RequestBody } from "./request-body.js";

/** What a scripted function is asked with. */
export interface ScriptRequest {
  readonly body: RequestBody;
  /** Zero-based, the same as in `server.request(index)`. */
  readonly index: number;
  /** Everything the model reads: what the server keeps of earlier requests, then the input. */
  readonly context: readonly Item[];
  readonly headers: IncomingHttpHeaders;
}

/** Decides what to answer a request with. */
export type ReplyFunction = (request: ScriptRequest) => Reply | Promise<Reply>;

/** Replies, used one for each request that passes the checks, or a function that makes each. Functions may stand in the list too. */
export type Script = readonly (Reply | ReplyFunction)[] | ReplyFunction;

const isReply = (value: unknown): value is Reply =>
  typeof value === "object" && value !== null && ["output", "http", "events"].includes((value as { kind?: unknown }).kind as string);

/** Follows a script, and knows what of it was not followed. */
export class ScriptRunner {
  #used = 0;
  readonly #script: Script;
  readonly #beyond: number[] = [];

  constructor(script: Script) {
    const wrong =
      typeof script === "function"
        ? -1
        : Array.isArray(script)
          ? script.findIndex((entry) => typeof entry !== "function" && !isReply(entry))
          : 0;
    if (wrong !== -1) {
      throw new TypeError(
        `The script's entry ${wrong} is neither a reply nor a function.\nFix: make replies with \`reply.text("…")\`, \`reply.calls({ … })\` and so on.`,
      );
    }
    this.#script = script;
  }

  /** The reply to a request; undefined when the script is used up. */
  async next(request: ScriptRequest): Promise<Reply | undefined> {
    if (typeof this.#script === "function") return checked(await this.#script(request));
    const entry = this.#script[this.#used];
    if (entry === undefined) {
      this.#beyond.push(request.index);
      return undefined;
    }
    this.#used += 1;
    return typeof entry === "function" ? checked(await entry(request)) : entry;
  }

  get length(): number | undefined {
    return typeof this.#script === "function" ? undefined : this.#script.length;
  }

  /** The replies that no request used, in words. */
  unused(): readonly string[] {
    if (typeof this.#script === "function") return [];
    return this.#script.slice(this.#used).map((entry, index) => `reply ${this.#used + index} (${describeReply(entry)}) was not used`);
  }

  /** The requests that came after the last reply. */
  beyond(): readonly number[] {
    return this.#beyond;
  }
}

function checked(made: Reply): Reply {
  if (!isReply(made))
    throw new TypeError('The scripted function returned no reply.\nFix: return `reply.text("…")`, `reply.calls({ … })` and so on.');
  return made;
}

/** A reply in a few words, for messages. */
function describeReply(entry: Reply | ReplyFunction): string {
  if (typeof entry === "function") return "a function";
  if (entry.kind === "http") return `http ${entry.status}`;
  if (entry.kind === "events") return `${entry.events.length} events`;
  const how = [entry.broken?.kind, entry.ending.kind === "completed" ? undefined : entry.ending.kind].filter((word) => word !== undefined);
  return [...how, ...entry.parts.map(describePart)].join(", ");
}

function describePart(part: OutputPart): string {
  switch (part.kind) {
    case "text":
      return `text "${part.text.length > 40 ? `${part.text.slice(0, 40)}…` : part.text}"`;
    case "call":
      return `call ${part.name}`;
    case "item":
      return `item ${String(part.item["type"])}`;
    default:
      return part.kind;
  }
}
