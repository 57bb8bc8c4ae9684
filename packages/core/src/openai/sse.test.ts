import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SseDecoder } from "./sse.js";

/** The data texts of a body that comes in these pieces. */
function decode(...chunks: readonly (string | Uint8Array)[]): readonly string[] {
  const decoder = new SseDecoder();
  const bytes = chunks.map((chunk) => (typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk));
  return [...bytes.flatMap((each) => pushed(decoder, each)), ...closed(decoder)];
}

/** The data texts of the events that these bytes complete. */
function pushed(decoder: SseDecoder, bytes: Uint8Array): readonly string[] {
  decoder.push(bytes);
  return allOf(decoder);
}

function closed(decoder: SseDecoder): readonly string[] {
  decoder.close();
  return allOf(decoder);
}

function allOf(decoder: SseDecoder): readonly string[] {
  const texts: string[] = [];
  while (decoder.next()) texts.push(decoder.data);
  return texts;
}

const bodies: readonly (readonly [string, string, readonly string[]])[] = [
  ["LF", "event: a\ndata: 1\n\nevent: b\ndata: 2\n\n", ["1", "2"]],
  ["CRLF", "event: a\r\ndata: 1\r\n\r\ndata: 2\r\n\r\n", ["1", "2"]],
  ["CR", "event: a\rdata: 1\r\rdata: 2\r\r", ["1", "2"]],
  ["comments", ": keep-alive\n\ndata: 1\n: in the middle\n\n:\n\n", ["1"]],
  ["no event line", "data: 1\n\ndata: 2\n\n", ["1", "2"]],
  ["data over several lines", "data: 1\ndata: 2\ndata:\ndata: 3\n\n", ["1\n2\n\n3"]],
  ["no space after the colon", "data:1\n\ndata:  2\n\n", ["1", " 2"]],
  ["other fields", "id: 7\nretry: 10\ndata: 1\n\n", ["1"]],
  ["an event without data", "event: ping\n\ndata: 1\n\n", ["1"]],
  ["many blank lines", "\n\n\ndata: 1\n\n\n\n", ["1"]],
  ["a last event without its blank line", "data: 1\n\ndata: 2\n", ["1", "2"]],
  ["a last event without any line end", "data: 1\n\ndata: 2", ["1", "2"]],
  ["a byte order mark", "\uFEFFdata: 1\n\n", ["1"]],
  ["characters of two to four bytes", "data: é\u20AC\u{1F600}\n\n", ["é\u20AC\u{1F600}"]],
  ["nothing", "", []],
];

describe("SseDecoder", () => {
  it.each(bodies)("reads %s", (_, body, expected) => {
    expect(decode(body)).toEqual(expected);
  });

  it.each(bodies)("reads %s in single bytes", (_, body, expected) => {
    expect(decode(...Array.from(new TextEncoder().encode(body), (byte) => Uint8Array.of(byte)))).toEqual(expected);
  });

  it("gives an event as soon as its blank line is there", () => {
    const decoder = new SseDecoder();
    const encoder = new TextEncoder();
    expect(pushed(decoder, encoder.encode("data: 1\n"))).toEqual([]);
    expect(pushed(decoder, encoder.encode("\ndata: 2"))).toEqual(["1"]);
    expect(pushed(decoder, encoder.encode("\n\n"))).toEqual(["2"]);
    expect(closed(decoder)).toEqual([]);
  });

  it("reads the same however the bytes are cut and the lines are ended", () => {
    const events = fc.array(
      fc.string({ unit: "binary" }).map((text) => JSON.stringify(text)),
      { maxLength: 5 },
    );
    fc.assert(
      fc.property(events, fc.constantFrom("\n", "\r\n", "\r"), fc.infiniteStream(fc.integer({ min: 1, max: 9 })), (texts, end, sizes) => {
        const bytes = new TextEncoder().encode(texts.map((text) => `event: x${end}data: ${text}${end}${end}`).join(""));
        const chunks: Uint8Array[] = [];
        for (let start = 0; start < bytes.length;) {
          const size = sizes.next().value ?? 1;
          chunks.push(bytes.subarray(start, start + size));
          start += size;
        }
        // A lone half of a pair cannot be sent as UTF-8.
        expect(decode(...chunks)).toEqual(texts.map((text) => text.toWellFormed()));
      }),
      { numRuns: 300 },
    );
  });
});
