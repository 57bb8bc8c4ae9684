import type { JsonRecord } from "./json-record.js";
import type { FramingSpec } from "./reply-options.js";

/** One event as server-sent text: its `event:` line is the JSON's `type`. A string is sent as it is. */
function frame(event: JsonRecord | string, framing: FramingSpec = {}): string {
  if (typeof event === "string") return event;
  const end = framing.lineEnding ?? "\n";
  const comment = framing.comments === true ? `: still working${end}${end}` : "";
  const name = framing.eventLines === false ? "" : `event: ${String(event["type"])}${end}`;
  return `${comment}${name}data: ${JSON.stringify(event)}${end}${end}`;
}

/** All frames of a stream, with what its framing puts before and after them. */
export function frames(events: readonly (JsonRecord | string)[], framing: FramingSpec = {}): readonly string[] {
  const end = framing.lineEnding ?? "\n";
  const list = events.map((event) => frame(event, framing));
  if (framing.byteOrderMark === true) list[0] = `\uFEFF${list[0] ?? ""}`;
  if (framing.doneMarker === true) list.push(`data: [DONE]${end}${end}`);
  const last = list.at(-1);
  if (framing.unterminated === true && last !== undefined) list[list.length - 1] = last.slice(0, -end.length);
  return list;
}
