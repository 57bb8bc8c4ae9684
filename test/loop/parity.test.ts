import {
  Agent,
  type AgentOptions,
  type Decision,
  type HistoryOption,
  type Item,
  type RunResult,
  type RunState,
  ToolwrightError,
} from "@toolwright/core";
import type { OutputReply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { localItems, serve, type Stand } from "../support/serve.js";
import { ends } from "../support/wait.js";
import { histories, resumeIn, type RunFailure, runIn, type Way } from "../support/ways.js";
import { type Scenario, scenarios, toolsOf } from "./parity-scenarios.js";

/** How the replies come: each must make no difference to anything but itself. */
interface Transport {
  readonly name: string;
  readonly way: Way;
  readonly options?: Partial<AgentOptions>;
  readonly reply?: Parameters<OutputReply["with"]>[0];
}

const transports: readonly Transport[] = [
  { name: "run(), JSON", way: "run" },
  { name: "run(), server-sent events", way: "run", options: { transport: "sse" } },
  { name: "stream(), server-sent events", way: "stream" },
  {
    name: "stream(), in single bytes and interleaved",
    way: "stream",
    reply: { chunk: "byte", deltaSize: 3, interleave: true, keepalive: true },
  },
  { name: "stream(), the last event without items", way: "stream", reply: { emptyCompletedOutput: true } },
  { name: "stream(), answered by JSON", way: "stream", reply: { jsonInsteadOfSse: true } },
];

interface Trace {
  readonly ends: string;
  readonly bodies: readonly { readonly [key: string]: unknown }[];
  readonly executed: readonly string[];
  /** What the model read at each request. */
  readonly contexts: readonly (readonly object[])[];
  readonly end: ReturnType<typeof comparable>;
}

/** What can be seen of a run from outside, without its times and its own id. */
async function traceOf({ script, options, abortAt, decisions }: Scenario, transport: Transport, history: HistoryOption): Promise<Trace> {
  const replies = script.map((each) => (transport.reply === undefined || each.kind !== "output" ? each : each.with(transport.reply)));
  await using stand = await serve(replies, { verifyEncryptedContent: false });
  const controller = new AbortController();
  const executed: string[] = [];
  const tools = toolsOf((name, n) => {
    executed.push(`${name} ${n}`);
    if (name === abortAt) setImmediate(() => controller.abort(new Error("enough")));
  });
  const agent = new Agent({ model: "test", client: stand.client, tools, history, ...options, ...transport.options });
  const { signal } = controller;
  let [stop, end] = await endOf(runIn(transport.way, agent, "Go.", { signal }));
  while (end.stopReason === "interrupted" && decisions !== undefined) {
    const said = end.interruptions.map(({ callId }) => ({ callId, ...decisions[callId] }) as Decision);
    const state = JSON.parse(JSON.stringify(end.state)) as RunState;
    [stop, end] = await endOf(resumeIn(transport.way, agent, state, { decisions: said, signal }));
  }
  stand.server.assertDone();
  const contexts = stand.server.requests.map(({ context }) => modelView(context));
  return { ends: stop, bodies: bodiesOf(stand), executed, contexts, end: comparable(end) };
}

type End = RunResult | RunFailure["result"];

async function endOf(run: Promise<RunResult>): Promise<[string, End]> {
  try {
    const result = await ends(run);
    return [result.stopReason, result];
  } catch (error) {
    if (!ToolwrightError.is(error) || error.result === undefined) throw error;
    return [error.code, error.result];
  }
}

const bodiesOf = ({ server }: Stand): Trace["bodies"] => server.requests.map(({ body: { stream: _, ...body } }) => body);

function comparable({ stopReason, items, history, steps, usage, interruptions, ...rest }: End) {
  const { output, refusal } = rest as { readonly output?: unknown; readonly refusal?: unknown };
  const outcomes = steps.map(({ calls: list, ...own }) => ({ ...own, calls: list.map(({ durationMs: _, ...call }) => call) }));
  return { stopReason, items, history, steps: outcomes, usage, interruptions, output, refusal };
}

// References differ from run to run, and are looked up in a log.
const settled = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value).replaceAll(/\(reference [0-9a-f]{8}\)/g, "(reference …)")) as unknown;

describe.each(scenarios)("parity of $name", (scenario) => {
  it.each(histories)("whatever carries the replies: the same requests, history and outcomes ($kind)", async (history) => {
    const expected = await traceOf(scenario, transports[0] as Transport, history);
    expect(expected.ends).toBe(scenario.ends);
    expect(expected.bodies).toHaveLength(scenario.requests);
    for (const transport of transports.slice(1)) {
      const trace = await traceOf(scenario, transport, history);
      expect(settled(trace), transport.name).toEqual(settled(expected));
    }
  });

  it("whoever keeps the history: the model reads the same, and the same comes of it", async () => {
    const [local, chained] = await Promise.all(histories.map((history) => traceOf(scenario, transports[0] as Transport, history)));
    if (local === undefined || chained === undefined) throw new Error("There are two kinds.");
    expect(chained.ends).toBe(local.ends);
    expect(chained.executed).toEqual(local.executed);
    const { history: kept, items, ...end } = local.end;
    const { history: chain, items: chainItems, ...chainEnd } = chained.end;
    expect(settled(chainEnd)).toEqual(settled(end));
    // A server that is not asked for it seals no reasoning.
    expect(settled(unsealed(chainItems))).toEqual(settled(unsealed(items)));
    expect(settled(chained.contexts)).toEqual(settled(local.contexts));

    for (const [index, body] of local.bodies.entries()) {
      const { input, store, include, ...same } = body;
      const { input: chainInput, previous_response_id: previous, ...chainSame } = chained.bodies[index] ?? {};
      expect(chainSame).toEqual(same);
      expect({ store, include }).toEqual({ store: false, include: ["reasoning.encrypted_content"] });
      // New items alone, and they are the last ones of the whole list.
      expect(settled((input as readonly unknown[]).slice(-(chainInput as readonly unknown[]).length))).toEqual(settled(chainInput));
      expect(previous).toBe(lastResponse(chained, index));
    }
    expect(chain.kind).toBe("chained");
    // Of a step that waits for a person, the history goes on from its own response.
    if (local.ends !== "interrupted") expect(chain.previousResponseId).toBe(lastResponse(chained, Number.POSITIVE_INFINITY));
    expect(localItems(kept).map(({ type }) => type)).toEqual(items.map(({ type }) => type));
  });
});

/** The response that a request of a chain goes on from. */
function lastResponse({ end }: Trace, index: number): string | undefined {
  let requests = 0;
  let last: string | undefined;
  for (const { responseId, usage } of end.steps) {
    requests += usage.requests;
    if (requests > index) return last;
    last = responseId;
  }
  return last;
}

const unsealed = (items: readonly Item[]): readonly Item[] => items.map(({ encrypted_content: _, ...item }) => item);

/**
 * What the model reads. A server that keeps the history gives ids to what it was sent, writes texts as parts, and keeps both of
 * two twins.
 */
function modelView(context: readonly Item[]): readonly object[] {
  const seen = new Set<unknown>();
  const once = unsealed(context).filter((item) => {
    if (item.type === "function_call_output") seen.delete(item["call_id"]);
    if (item.type !== "function_call") return true;
    const twin = seen.has(item["call_id"]);
    seen.add(item["call_id"]);
    return !twin;
  });
  return once.map(({ status: _, ...item }) => {
    const { id: _id, content: parts, ...own } = item;
    if (item.type === "function_call_output") return own;
    if (item.type !== "message" || item["role"] !== "user") return item;
    return { ...own, content: typeof parts === "string" ? [{ type: "input_text", text: parts }] : parts };
  });
}
