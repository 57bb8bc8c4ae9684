import type { Item } from "@toolwright/core";
import { isRecord, type JsonRecord } from "./json-record.js";
import type { Reply } from "./reply.js";
import type { DeclaredTool } from "./request-body.js";
import type { ReplyFunction, ScriptRequest } from "./script.js";

/** A call that was answered since the last user message. */
export interface AnsweredCall {
  readonly callId: string;
  readonly name: string;
  /** Parsed; undefined when the arguments were not JSON. */
  readonly arguments: unknown;
  /** The output as text; parts are joined. */
  readonly text: string;
  /** The output parsed as JSON, or its text. */
  readonly value: unknown;
  /** Zero-based: which reply made the call, counted from the last user message. */
  readonly step: number;
}

/** A request in the form that rules are written against. */
export interface PlannerView {
  /** Text of the last user message; empty when there is none. */
  readonly question: string;
  /** The function tools that the request offers. */
  readonly tools: readonly DeclaredTool[];
  /** The calls that were answered since the last user message, in the model's order. */
  readonly outputs: readonly AnsweredCall[];
  /** The latest output of a tool, parsed as JSON where it is; undefined when there is none. */
  output(name: string): unknown;
  /** Everything that the model reads, kept by the server or sent. */
  readonly input: readonly Item[];
  readonly instructions: string | undefined;
  readonly toolChoice: unknown;
  /** Zero-based: how many replies with calls were answered since the last user message. */
  readonly step: number;
}

/** Decides what the model says next. */
export type Planner = (view: PlannerView) => Reply | Promise<Reply>;

/**
 * A model that follows rules: a script function for `startResponsesServer` that shows each request as a question, tools and
 * outputs so far.
 *
 * @example
 * const server = await startResponsesServer(
 *   autoModel((view) => (view.step === 0 ? reply.calls({ name: "add", arguments: { a: 1, b: 2 } }) : reply.text(`It is ${view.output("add")}.`))),
 * );
 */
export const autoModel =
  (planner: Planner): ReplyFunction =>
  (request) =>
    planner(viewOf(request));

/** The view of one request. */
export function viewOf({ body, context }: Pick<ScriptRequest, "body" | "context">): PlannerView {
  const start = context.findLastIndex((item) => item.type === "message" && item["role"] === "user");
  const outputs = answeredCalls(context.slice(start + 1));
  return {
    question: start === -1 ? "" : textOf(context[start]?.["content"]),
    tools: (body.tools ?? []).filter((tool) => tool.type === "function"),
    outputs,
    output: (name) => outputs.findLast((each) => each.name === name)?.value,
    input: context,
    instructions: body.instructions ?? undefined,
    toolChoice: body.tool_choice ?? "auto",
    step: outputs.length === 0 ? 0 : Math.max(...outputs.map((each) => each.step)) + 1,
  };
}

/** Pairs calls with outputs. A reply ends where an output is followed by something that is none. */
function answeredCalls(items: readonly Item[]): readonly AnsweredCall[] {
  const calls: { readonly item: Item; readonly step: number; output?: Item }[] = [];
  let step = 0;
  for (const [index, item] of items.entries()) {
    if (item.type === "function_call") calls.push({ item, step });
    if (item.type !== "function_call_output") continue;
    const call = calls.find((each) => each.item["call_id"] === item["call_id"] && each.output === undefined);
    if (call !== undefined) call.output = item;
    if (items[index + 1]?.type !== "function_call_output") step += 1;
  }
  return calls.flatMap(({ item, step: made, output }) => {
    if (output === undefined) return [];
    const text = textOf(output["output"]);
    const given = parsed(String(item["arguments"]));
    return [
      {
        callId: String(item["call_id"]),
        name: String(item["name"]),
        arguments: given.value,
        text,
        value: parsed(text, text).value,
        step: made,
      },
    ];
  });
}

function parsed(text: string, fallback?: unknown): { readonly value: unknown } {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return { value: fallback };
  }
}

/** The text of a message's or an output's content. */
function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return (content as readonly unknown[])
    .filter((part): part is JsonRecord => isRecord(part) && typeof part["text"] === "string")
    .map((part) => part["text"])
    .join("");
}
