import type { HistoryOption, Item } from "@toolwright/core";
import { jsonLine, oneLine, shortened } from "./shown.js";

const longest = 200;

/** The lines that `/history` shows. */
export async function historyLines(history: HistoryOption | undefined): Promise<readonly string[]> {
  if (history === undefined) return ["Nothing has been said yet."];
  switch (history.kind) {
    case "local": {
      const items = history.session === undefined ? (history.items ?? []) : (await history.session.load()).items;
      const kept = history.session === undefined ? [] : ["Kept in the agent's own session:"];
      return [...kept, ...items.map(itemLine)];
    }
    case "chained":
      return [`Kept by the server, under the response ${oneLine(history.previousResponseId ?? "that comes first")}.`];
    case "conversation":
      return [`Kept by the server, in the conversation ${oneLine(history.id)}.`];
  }
}

/** Why `/clear` cannot empty a history that is kept elsewhere; undefined when it can. */
export function whyNotCleared(history: HistoryOption | undefined): string | undefined {
  if (history?.kind === "conversation") return "The conversation is kept by the server, under the id that the agent was given: it goes on.";
  if (history?.kind === "local" && history.session !== undefined) return "The agent keeps its history in a session of its own: it goes on.";
  return undefined;
}

function itemLine(item: Item): string {
  const { type, role, content, name, arguments: args, input, output, call_id: callId } = item;
  if (typeof role === "string") return `${oneLine(role)}: ${textOf(content)}`;
  if (type === "function_call" || type === "custom_tool_call")
    return `→ ${oneLine(String(name))} ${textOf(args ?? input)} (${oneLine(String(callId))})`;
  if (output !== undefined && callId !== undefined) return `← ${oneLine(String(callId))} ${textOf(output)}`;
  return `(${oneLine(type)})`;
}

function textOf(content: unknown): string {
  if (typeof content === "string") return shortened(oneLine(content), longest);
  if (!Array.isArray(content)) return shortened(jsonLine(content), longest);
  // Parts of a message: of each, the text it has, or what it is.
  const parts = content as readonly { readonly type?: unknown; readonly text?: unknown; readonly refusal?: unknown }[];
  return shortened(oneLine(parts.map(({ type, text, refusal }) => String(text ?? refusal ?? `[${String(type)}]`)).join(" ")), longest);
}
