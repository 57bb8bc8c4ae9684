import type { WireEvent } from "./stream-scenarios.js";

/** A stream as bytes, and where its events end in them. */
export interface FramedStream {
  readonly bytes: Uint8Array;
  /** Offsets after each event with its blank line. */
  readonly ends: readonly number[];
  /** Offset after the JSON of the last event that tells how the response ended: from here on nothing more is needed. */
  readonly told: number;
  /** Whether the last event has its blank line, without which only an end of the body ends it. */
  readonly closed: boolean;
}

/** Lawful ways to write an event. */
type Frame = (event: WireEvent, index: number) => { readonly before: string; readonly lines: readonly string[] };

const plain: Frame = (event) => ({ before: "", lines: [`event: ${String(event.type)}`, `data: ${JSON.stringify(event)}`] });

const frames = {
  plain,
  CRLF: plain,
  "CR alone": plain,
  "mixed line ends": plain,
  "a byte order mark": plain,
  comments: (event) => ({ before: ": PROCESSING\n\n:\n", lines: [": in the event", ...plain(event, 0).lines] }),
  "no event lines": (event) => ({ before: "", lines: [`data: ${JSON.stringify(event)}`] }),
  "no blank after the colon": (event) => ({ before: "", lines: [`event:${String(event.type)}`, `data:${JSON.stringify(event)}`] }),
  "data over several lines": (event) => ({
    before: "",
    lines: JSON.stringify(event, undefined, 1)
      .split("\n")
      .map((line) => `data: ${line}`),
  }),
  "ids and retry times": (event, index) => ({
    before: "",
    lines: [`id: ${index}`, "retry: 3000", "data-center: here", ...plain(event, index).lines],
  }),
  "blank lines in plenty": (event, index) => ({ before: "\n\n\n", lines: plain(event, index).lines }),
  "a marker at the end": plain,
  "no blank line after the last": plain,
} as const satisfies Record<string, Frame>;

export type Framing = keyof typeof frames;
export const framings = Object.keys(frames) as readonly Framing[];

const lineEnds: Partial<Record<Framing, readonly string[]>> = {
  CRLF: ["\r\n"],
  "CR alone": ["\r"],
  "mixed line ends": ["\r\n", "\n", "\r"],
};

/** Writes events in one of the lawful ways. */
export function framed(events: readonly WireEvent[], framing: Framing): FramedStream {
  const encoder = new TextEncoder();
  const kinds = lineEnds[framing] ?? ["\n"];
  let lineCount = 0;
  const lineEnd = (): string => kinds[lineCount++ % kinds.length] as string;
  const parts: string[] = framing === "a byte order mark" ? ["\uFEFF"] : [];
  let length = encoder.encode(parts.join("")).length;
  const ends: number[] = [];
  let told = 0;
  for (const [index, event] of events.entries()) {
    const { before, lines } = frames[framing](event, index);
    const isLast = index === events.length - 1;
    const text = before + lines.map((line, at) => (at === lines.length - 1 ? line : `${line}${lineEnd()}`)).join("");
    told = length + encoder.encode(text).length;
    const whole = `${text}${lineEnd()}${isLast && framing === "no blank line after the last" ? "" : lineEnd()}`;
    parts.push(whole);
    length += encoder.encode(whole).length;
    ends.push(length);
  }
  if (framing === "a marker at the end") parts.push("data: [DONE]\n\n");
  return { bytes: encoder.encode(parts.join("")), ends, told, closed: framing !== "no blank line after the last" };
}
