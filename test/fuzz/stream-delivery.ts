import {
  Agent,
  type DefinedTool,
  defineTool,
  type ResponsesClient,
  type RunEvent,
  type RunResult,
  ToolwrightError,
} from "@toolwright/core";
import { numberTool } from "../support/tools.js";
import { ends } from "../support/wait.js";
import type { RunFailure } from "../support/ways.js";

/** The body of one reply, in the pieces in which it arrives, and how it ends: in good order, or by a broken connection. */
export interface Delivery {
  readonly pieces: readonly Uint8Array[];
  readonly ending: "end" | "break";
}

/** Bytes in pieces of so many each, over and over. */
export function cut(bytes: Uint8Array, sizes: readonly number[]): readonly Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let start = 0; start < bytes.length;) {
    const size = Math.max(1, sizes[pieces.length % sizes.length] ?? bytes.length);
    pieces.push(bytes.subarray(start, start + size));
    start += size;
  }
  return pieces;
}

/** What can be seen of a run from outside, without its own id and its times. */
export interface Trace {
  readonly end: string;
  readonly output: string | undefined;
  readonly refusal: string | undefined;
  readonly partialText: unknown;
  readonly items: readonly object[];
  readonly history: object;
  readonly steps: number;
  readonly executed: readonly number[];
  /** Bytes of the first reply that had been taken when a tool first ran. */
  readonly takenAtStart: number | undefined;
  readonly events: readonly object[];
}

/** Streams a run whose replies are delivered so. */
export async function traceOf(deliveries: readonly Delivery[]): Promise<Trace> {
  const client = new PieceClient(deliveries);
  const executed: number[] = [];
  let takenAtStart: number | undefined;
  const note = (n: number): string => {
    takenAtStart ??= client.taken;
    executed.push(n);
    return `seen ${n}`;
  };
  const agent = new Agent({ model: "test", client, tools: tools(note) });
  const stream = agent.stream("Go.");
  const events: object[] = [];
  const iteration = (async () => {
    for await (const event of stream) events.push(comparable(event));
  })();
  await ends(iteration.catch(() => {}));
  const [end, { items, history, steps, ...rest }, partialText] = await ends(ended(stream.result));
  return {
    end,
    output: rest.stopReason === "completed" ? rest.output : undefined,
    refusal: rest.stopReason === "refused" ? rest.refusal : undefined,
    partialText,
    items,
    history,
    steps: steps.length,
    executed,
    takenAtStart,
    events,
  };
}

// Writes run one after the other, so that the order of their effects is the model's.
function tools(note: (n: number) => string): readonly DefinedTool[] {
  const parameters = { type: "object", properties: {} };
  return [
    numberTool("look", note, { effect: "write" }),
    defineTool({ name: "look_around", description: "Looks around.", effect: "write", parameters, execute: () => note(0) }),
  ];
}

async function ended(run: Promise<RunResult>): Promise<readonly [string, RunResult | RunFailure["result"], unknown]> {
  try {
    const result = await run;
    return [result.stopReason, result, undefined];
  } catch (error) {
    if (!ToolwrightError.is(error) || error.result === undefined) throw error;
    return [error.code, error.result, error.details["partialText"]];
  }
}

function comparable({ runId: _, ...event }: RunEvent): object {
  return event.type === "tool-outcome" ? { ...event, durationMs: 0 } : event;
}

/** A client that gives each piece when it is asked for, and not before. */
export class PieceClient implements ResponsesClient {
  /** Bytes of the first reply that have been taken. */
  taken = 0;
  readonly #deliveries: readonly Delivery[];
  #requests = 0;

  constructor(deliveries: readonly Delivery[]) {
    this.#deliveries = deliveries;
  }

  post(): ReturnType<ResponsesClient["post"]> {
    const index = this.#requests;
    this.#requests += 1;
    const delivery = this.#deliveries[index];
    if (delivery === undefined) throw new Error(`There is no reply ${index}.`);
    const body = this.#body(delivery, index === 0);
    const headers = { "content-type": "text/event-stream; charset=utf-8" };
    return Object.assign(Promise.resolve(undefined), { asResponse: async () => new Response(body, { headers }) });
  }

  #body({ pieces, ending }: Delivery, isFirst: boolean): ReadableStream<Uint8Array> {
    let next = 0;
    return new ReadableStream<Uint8Array>(
      {
        pull: (controller) => {
          const piece = pieces[next];
          next += 1;
          if (piece !== undefined) {
            if (isFirst) this.taken += piece.length;
            controller.enqueue(piece);
          } else if (ending === "end") controller.close();
          else controller.error(new TypeError("terminated"));
        },
      },
      { highWaterMark: 0 },
    );
  }
}
