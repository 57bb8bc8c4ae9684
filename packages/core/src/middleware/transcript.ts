import type { Item } from "../contracts/item.js";
import { answeredCall, callOf } from "../run/history-calls.js";

/** A part of a history as text. */
export interface TranscriptPiece {
  readonly text: string;
  /** Index behind its last item. */
  readonly end: number;
}

/**
 * Writes items down as text for a reader that has to sum them up, in pieces of about as many characters.
 *
 * @param pieceChars - a single item is cut to a quarter of it.
 */
export function transcript(items: readonly Item[], pieceChars: number): readonly TranscriptPiece[] {
  const pieces: TranscriptPiece[] = [];
  let lines: string[] = [];
  let length = 0;
  items.forEach((item, index) => {
    const line = shortened(lineOf(item), Math.max(200, Math.floor(pieceChars / 4)));
    if (lines.length > 0 && length + line.length > pieceChars) {
      pieces.push({ text: lines.join("\n"), end: index });
      lines = [];
      length = 0;
    }
    if (line !== "") lines.push(line);
    length += line.length + 1;
  });
  if (lines.length > 0) pieces.push({ text: lines.join("\n"), end: items.length });
  return pieces;
}

function lineOf(item: Item): string {
  const call = callOf(item);
  if (call !== undefined) return `CALL ${call.name}(${item.type === "custom_tool_call" ? String(item["input"]) : call.arguments})`;
  if (item.type === "mcp_approval_response") return `RESULT ${item["approve"] === true ? "approved" : `refused ${textOf(item["reason"])}`}`;
  if (answeredCall(item) !== undefined) return `RESULT ${textOf(item["output"])}`;
  if (item.type === "mcp_call") {
    return `CALL ${String(item["server_label"])}.${String(item["name"])}(${String(item["arguments"])}) RESULT ${textOf(item["output"])}`;
  }
  if (item.type === "reasoning") return "";
  const { role } = item;
  return typeof role === "string" ? `${role.toUpperCase()} ${textOf(item["content"])}` : `[${item.type}]`;
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return (content as readonly { readonly type?: unknown; readonly text?: unknown; readonly refusal?: unknown }[])
    .map(({ type, text, refusal }) => (typeof text === "string" ? text : typeof refusal === "string" ? refusal : `[${String(type)}]`))
    .join(" ");
}

// Beginning and end: the end of an output often says how it went.
function shortened(line: string, maxChars: number): string {
  if (line.length <= maxChars) return line;
  const half = Math.floor(maxChars / 2);
  return `${line.slice(0, half)} […${line.length - 2 * half} characters left out…] ${line.slice(-half)}`.toWellFormed();
}
