import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { setImmediate, setTimeout } from "node:timers/promises";
import type { Exchange } from "./exchange.js";
import { rechunk } from "./rechunk.js";
import type { Break } from "./reply.js";
import type { ReplyOptions } from "./reply-options.js";

/** A body to send, in the parts between which a script may wait or break off. */
export interface Transmission {
  readonly parts: readonly string[];
  readonly options: ReplyOptions;
  readonly broken: Break | undefined;
  /** How many parts are left out by default when the body breaks off. */
  readonly keepBack: number;
  /** Called just before the client can see the end of the response, perhaps more than once. */
  finish(): void;
}

/** After so many pieces other work gets its turn. */
const piecesPerTurn = 256;

/** Sends a body whose headers are written, and ends the exchange. */
export async function transmit({ response, gone, destroy }: Exchange, transmission: Transmission): Promise<void> {
  const { parts, options, broken } = transmission;
  const count = partsToSend(transmission);
  response.flushHeaders();
  for (const segment of segments(parts.slice(0, count), options)) {
    await segment.ready(gone);
    if (gone.aborted) return;
    await writeSegment(response, segment, transmission, gone, segment.end === parts.length);
  }
  if (gone.aborted) return;
  transmission.finish();
  if (broken?.kind === "hang") return untilGone(gone);
  if (broken?.kind !== "cut") return void response.end();
  // What was written leaves first: the client is to see it, and only then the break.
  await flushed(response, gone);
  destroy();
}

function partsToSend({ parts, broken, keepBack }: Transmission): number {
  if (broken === undefined) return parts.length;
  const fallback = broken.kind === "end" ? parts.length - keepBack : Math.floor(parts.length / 2);
  return Math.max(0, Math.min(broken.afterEvents ?? fallback, parts.length));
}

interface Segment {
  readonly text: string;
  /** Index after its last part. */
  readonly end: number;
  /** Length of its last part, in bytes. */
  readonly lastBytes: number;
  ready(gone: AbortSignal): Promise<void>;
}

/** Parts that are sent without a wait between them. */
function segments(parts: readonly string[], options: ReplyOptions): readonly Segment[] {
  const pause = options.eventDelayMs ?? 0;
  const hold = options.hold;
  const bounds = new Set<number>([0, ...(hold === undefined ? [] : [hold.afterEvents]), ...(pause > 0 ? parts.keys() : [])]);
  const starts = [...bounds].filter((bound) => bound < parts.length).toSorted((one, other) => one - other);
  return starts.map((start, index) => {
    const end = starts[index + 1] ?? parts.length;
    return {
      text: parts.slice(start, end).join(""),
      end,
      lastBytes: Buffer.byteLength(parts[end - 1] ?? ""),
      async ready(gone) {
        if (pause > 0 && start > 0) await wait(pause, gone);
        if (hold?.afterEvents === start) await Promise.race([hold.until.catch(() => undefined), untilGone(gone)]);
      },
    };
  });
}

async function writeSegment(
  response: ServerResponse,
  segment: Segment,
  { options, finish }: Transmission,
  gone: AbortSignal,
  isLast: boolean,
): Promise<void> {
  const bytes = Buffer.from(segment.text);
  const endStarts = bytes.length - segment.lastBytes;
  let sent = 0;
  let count = 0;
  for (const piece of options.chunk === undefined ? [bytes] : rechunk(bytes, options.chunk)) {
    if (gone.aborted) return;
    sent += piece.length;
    if (isLast && sent > endStarts) finish();
    if (!response.write(piece)) await Promise.race([once(response, "drain"), untilGone(gone)]);
    count += 1;
    if (count % piecesPerTurn === 0) await setImmediate();
  }
}

/** Waits so many milliseconds, or until nobody waits for the answer any more. */
export async function wait(milliseconds: number, gone: AbortSignal): Promise<void> {
  await setTimeout(milliseconds, undefined, { signal: gone }).catch(() => undefined);
}

const departures = new WeakMap<AbortSignal, Promise<void>>();

/** Settles when the client or the server has gone. One promise for each signal, so that listeners do not pile up. */
export function untilGone(gone: AbortSignal): Promise<void> {
  const known = departures.get(gone);
  if (known !== undefined) return known;
  const { promise, resolve } = Promise.withResolvers<void>();
  if (gone.aborted) resolve();
  else gone.addEventListener("abort", () => resolve(), { once: true });
  departures.set(gone, promise);
  return promise;
}

async function flushed(response: ServerResponse, gone: AbortSignal): Promise<void> {
  const written = new Promise<void>((resolve) => {
    response.write("", () => resolve());
  });
  await Promise.race([written, untilGone(gone)]);
  // The kernel has the bytes; one more turn lets the reader's side take them up before the reset arrives.
  await wait(20, gone);
}
