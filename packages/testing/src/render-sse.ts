import type { AcceptedRequest } from "./accept-request.js";
import { partText, type Answer, type OutputItem } from "./answer.js";
import { isRecord, type JsonRecord } from "./json-record.js";
import { finalStatus, renderResponse } from "./render-json.js";
import type { ReplyOptions } from "./reply-options.js";

/** An event before it has its number. */
type Event = JsonRecord & { readonly type: string };

/** The events of one item: those that open it and grow it, and those that close it. */
interface ItemEvents {
  readonly opening: readonly Event[];
  readonly growing: readonly Event[];
  readonly closing: readonly Event[];
}

const defaultDeltaSize = 16;

/** The events of a response in the API's order, numbered from 0. */
export function renderEvents(request: AcceptedRequest, answer: Answer, options: ReplyOptions): readonly JsonRecord[] {
  const progress = renderResponse(request, answer, "in_progress", options.usage);
  const queued = request.background ? renderResponse(request, answer, "queued", options.usage) : progress;
  const gap = (): Event[] => [
    ...(options.keepalive === true ? [{ type: "keepalive" }] : []),
    ...(options.unknownEvents === true ? [{ type: "response.hologram.delta", hologram: { depth: 3 } }] : []),
  ];
  const events: Event[] = [
    { type: "response.created", response: queued },
    ...(request.background ? [{ type: "response.queued", response: queued }] : []),
    { type: "response.in_progress", response: progress },
  ];
  const obfuscate = !(isRecord(request.body["stream_options"]) && request.body["stream_options"]["include_obfuscation"] === false);
  const perItem = answer.items.map((item, index) => itemEvents(item, index, Math.max(1, options.deltaSize ?? defaultDeltaSize), obfuscate));
  for (const group of groups(answer.items, options.interleave === true)) {
    events.push(...gap(), ...group.flatMap((index) => perItem[index]?.opening ?? []));
    events.push(...alternate(group.map((index) => perItem[index]?.growing ?? [])));
    for (const index of group) {
      if (index >= answer.finished) continue;
      const closing = perItem[index]?.closing ?? [];
      events.push(...(options.omitDone === true ? closing.filter((event) => event.type !== "response.output_item.done") : closing));
    }
  }
  events.push(...gap(), terminalEvent(request, answer, options));
  return events.map(({ type, ...rest }, index) => ({ type, sequence_number: index, ...rest }));
}

function terminalEvent(request: AcceptedRequest, answer: Answer, options: ReplyOptions): Event {
  if (answer.ending.kind === "error") {
    const { code, message, param } = answer.ending.error;
    return { type: "error", code, message, param: param ?? null };
  }
  const response = renderResponse(request, answer, finalStatus(answer), options.usage);
  return {
    type: `response.${answer.ending.kind}`,
    response: options.emptyCompletedOutput === true ? { ...response, output: [] } : response,
  };
}

/** Indices of items that are sent together: each alone, or a run of calls as one. */
function groups(items: readonly OutputItem[], interleave: boolean): readonly (readonly number[])[] {
  const result: number[][] = [];
  for (const [index, item] of items.entries()) {
    const joins = interleave && item.type === "function_call" && items[index - 1]?.type === "function_call";
    if (joins) result.at(-1)?.push(index);
    else result.push([index]);
  }
  return result;
}

/** One of each list in turn until all are used up. */
function alternate(lists: readonly (readonly Event[])[]): readonly Event[] {
  const longest = Math.max(0, ...lists.map((list) => list.length));
  return Array.from({ length: longest }, (_, round) => lists.flatMap((list) => list.slice(round, round + 1))).flat();
}

function itemEvents(item: OutputItem, index: number, deltaSize: number, obfuscate: boolean): ItemEvents {
  const at = { output_index: index, item_id: item["id"] };
  const deltas = (type: string, text: string, fields: JsonRecord): Event[] =>
    pieces(text, deltaSize).map((delta) => ({ type, ...fields, delta, ...(obfuscate ? { obfuscation: padding(delta) } : {}) }));
  const added = (start: JsonRecord): Event => ({ type: "response.output_item.added", output_index: index, item: { ...item, ...start } });
  const done: Event = { type: "response.output_item.done", output_index: index, item };

  if (item.type === "function_call" && typeof item["arguments"] === "string") {
    const text = item["arguments"];
    return {
      opening: [added({ status: "in_progress", arguments: "" })],
      growing: deltas("response.function_call_arguments.delta", text, at),
      closing: [{ type: "response.function_call_arguments.done", ...at, arguments: text }, done],
    };
  }
  if (item.type === "message" && Array.isArray(item["content"])) {
    const parts = (item["content"] as readonly unknown[])
      .filter(isRecord)
      .map((part, content) => contentEvents(part, { ...at, content_index: content }, deltas));
    return joined([added({ status: "in_progress", content: [] })], parts, [done]);
  }
  if (item.type === "reasoning" && Array.isArray(item["summary"])) {
    const summaries = (item["summary"] as readonly unknown[])
      .filter(isRecord)
      .map((part, summary) => summaryEvents(part, { ...at, summary_index: summary }, deltas));
    const texts = Array.isArray(item["content"])
      ? (item["content"] as readonly unknown[])
          .filter(isRecord)
          .map((part, content) => contentEvents(part, { ...at, content_index: content }, deltas))
      : [];
    const { encrypted_content: _sealed, content, ...start } = item;
    const opening: Event = {
      type: "response.output_item.added",
      output_index: index,
      item: { ...start, summary: [], ...(content === undefined ? {} : { content: [] }) },
    };
    return joined([opening], [...summaries, ...texts], [done]);
  }
  return { opening: [added(typeof item["status"] === "string" ? { status: "in_progress" } : {})], growing: [], closing: [done] };
}

/** Parts follow one another; only the last one is left open when the item is. */
function joined(opening: readonly Event[], parts: readonly ItemEvents[], closing: readonly Event[]): ItemEvents {
  const last = parts.at(-1);
  const before = parts.slice(0, -1).flatMap((part) => [...part.opening, ...part.growing, ...part.closing]);
  return {
    opening,
    growing: last === undefined ? [] : [...before, ...last.opening, ...last.growing],
    closing: last === undefined ? closing : [...last.closing, ...closing],
  };
}

type Deltas = (type: string, text: string, fields: JsonRecord) => readonly Event[];

const contentKinds: Readonly<Record<string, { readonly event: string; readonly field: string; readonly extra: JsonRecord }>> = {
  output_text: { event: "response.output_text", field: "text", extra: { logprobs: [] } },
  refusal: { event: "response.refusal", field: "refusal", extra: {} },
  reasoning_text: { event: "response.reasoning_text", field: "text", extra: {} },
};

function contentEvents(part: JsonRecord, at: JsonRecord, deltas: Deltas): ItemEvents {
  const kind = contentKinds[String(part["type"])];
  const opening = (start: JsonRecord): Event => ({ type: "response.content_part.added", ...at, part: { ...part, ...start } });
  const closing: Event = { type: "response.content_part.done", ...at, part };
  if (kind === undefined) return { opening: [opening({})], growing: [], closing: [closing] };
  const text = partText(part);
  return {
    opening: [opening({ [kind.field]: "" })],
    growing: deltas(`${kind.event}.delta`, text, { ...at, ...kind.extra }),
    closing: [{ type: `${kind.event}.done`, ...at, [kind.field]: text, ...kind.extra }, closing],
  };
}

function summaryEvents(part: JsonRecord, at: JsonRecord, deltas: Deltas): ItemEvents {
  const text = partText(part);
  return {
    opening: [{ type: "response.reasoning_summary_part.added", ...at, part: { ...part, text: "" } }],
    growing: deltas("response.reasoning_summary_text.delta", text, at),
    closing: [
      { type: "response.reasoning_summary_text.done", ...at, text },
      { type: "response.reasoning_summary_part.done", ...at, part },
    ],
  };
}

/** A text in pieces of so many characters; a character outside the basic plane is not torn. */
function pieces(text: string, size: number): readonly string[] {
  const characters = Array.from(text);
  const count = Math.ceil(characters.length / size);
  return Array.from({ length: count }, (_, index) => characters.slice(index * size, (index + 1) * size).join(""));
}

/** Fills a delta up to an even size, as the API does so that sizes do not tell the text. */
const padding = (delta: string): string => "x".repeat((16 - (delta.length % 16)) % 16);
