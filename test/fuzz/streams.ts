import { reply } from "@toolwright/testing";
import * as fc from "fast-check";
import { expect } from "vitest";
import { cut, type Delivery, type Trace, traceOf } from "./stream-delivery.js";
import { framed, type FramedStream, type Framing, framings } from "./stream-framing.js";
import { renderedEvents, type StreamScenario, streamScenarios, type WireEvent } from "./stream-scenarios.js";

/** Scenarios with what each comes to when it is delivered in one piece. */
export interface StreamFuzz {
  readonly scenarios: readonly (StreamScenario & { readonly whole: Trace })[];
  readonly last: Delivery;
}

/** Makes the scenarios ready: each comes to what is expected of it, in one piece. */
export async function streamFuzz(): Promise<StreamFuzz> {
  const scenarios = await streamScenarios();
  const [doneEvents = []] = await renderedEvents([reply.text("Done.")]);
  const last: Delivery = { pieces: [framed(doneEvents, "plain").bytes], ending: "end" };
  const ready = await Promise.all(
    scenarios.map(async (scenario) => {
      const { bytes } = framed(scenario.events, "plain");
      return { ...scenario, whole: await traceOf([{ pieces: [bytes], ending: "end" }, last]) };
    }),
  );
  for (const scenario of ready) expectExpected(scenario);
  return { scenarios: ready, last };
}

function expectExpected({ name, expected, whole, events }: StreamFuzz["scenarios"][number]): void {
  if ("code" in expected) {
    expect({ end: whole.end, text: whole.partialText }, name).toEqual({ end: expected.code, text: textIn(events) });
    return expectNothingKept(whole, name);
  }
  const answer = "refusal" in expected ? { refusal: expected.refusal, output: undefined } : { refusal: undefined, output: expected.output };
  const executed = "executed" in expected ? expected.executed : [];
  expect({ refusal: whole.refusal, output: whole.output, executed: whole.executed }, name).toEqual({ ...answer, executed });
  const more = executed.length > 0 ? [...executed.map(() => "function_call_output"), "message"] : [];
  expect(
    whole.items.map((item) => "type" in item && item.type),
    name,
  ).toEqual(["message", ...expected.types, ...more]);
}

/** Nothing of a reply that was not completed may be kept or run. */
function expectNothingKept(trace: Trace, name: string): void {
  const { items, history, steps, executed } = trace;
  expect({ items, history, steps, executed }, name).toEqual({ items: [], history: { kind: "local", items: [] }, steps: 0, executed: [] });
}

const textIn = (events: readonly WireEvent[]): string =>
  events.map(({ type, delta }) => (type === "response.output_text.delta" ? String(delta) : "")).join("");

/** Whatever the framing and the pieces, the same comes of it, and no tool starts before the response is told to be completed. */
async function checkDelivery(fuzz: StreamFuzz, at: number, framing: Framing, sizes: readonly number[]): Promise<void> {
  const { name, events, whole } = scenarioAt(fuzz, at);
  const { bytes, told } = framed(events, framing);
  const { takenAtStart, ...trace } = await traceOf([{ pieces: cut(bytes, sizes), ending: "end" }, fuzz.last]);
  const { takenAtStart: _, ...expected } = whole;
  expect(trace, `${name}, ${framing}, in pieces of ${sizes.join()}`).toEqual(expected);
  if (takenAtStart !== undefined) expect(takenAtStart).toBeGreaterThanOrEqual(told);
}

/** After so many bytes of it the stream breaks off: a typed error, and nothing of it is run or kept. */
async function checkTruncation(
  fuzz: StreamFuzz,
  at: number,
  framing: Framing,
  length: number,
  sizes: readonly number[],
  ending: Delivery["ending"],
): Promise<void> {
  const { name, events, whole } = scenarioAt(fuzz, at);
  const stream = framed(events, framing);
  const what = `${name}, ${framing}, ${length} of ${stream.bytes.length} bytes, then ${ending}`;
  const pieces = cut(stream.bytes.subarray(0, length), sizes);
  const trace = await traceOf([{ pieces, ending }, fuzz.last]);
  const codes = codesAfter(stream, length, ending, whole.end);
  expect(codes, what).toContain(trace.end);
  if (trace.end === whole.end) {
    const { takenAtStart: _, ...same } = trace;
    const { takenAtStart: __, ...expected } = whole;
    expect(same, what).toEqual(expected);
    return;
  }
  expectNothingKept(trace, what);
  // Of the text, what had come: of whole events all, of half an event nothing or all.
  const complete = events.filter((_, index) => (stream.ends[index] ?? Number.POSITIVE_INFINITY) <= length);
  expect([textIn(complete), textIn(events.slice(0, complete.length + 1))], what).toContain(trace.partialText);
  expect(trace.events.at(-1), what).toMatchObject({ type: "run-end", stopReason: "error" });
}

function codesAfter({ told, ends, closed }: FramedStream, length: number, ending: Delivery["ending"], whole: string): readonly string[] {
  const early = ending === "end" ? "MODEL_STREAM_ENDED" : "MODEL_CONNECTION";
  if (length < told) return [early];
  // Its end of line has not come yet: an end of the body does for it, a broken connection does not.
  if (ending === "break" && (!closed || length < (ends.at(-1) ?? 0))) return [early, whole];
  return [whole];
}

const scenarioAt = ({ scenarios }: StreamFuzz, at: number) => scenarios[at % scenarios.length] as StreamFuzz["scenarios"][number];

/** Every scenario in every framing, in one piece, in single bytes and in pieces of three. */
export async function checkAllDeliveries(fuzz: StreamFuzz): Promise<number> {
  let count = 0;
  for (const at of fuzz.scenarios.keys()) {
    for (const framing of framings) {
      for (const sizes of [[Number.POSITIVE_INFINITY], [1], [3, 7, 1]]) {
        await checkDelivery(fuzz, at, framing, sizes);
        count += 1;
      }
    }
  }
  return count;
}

/** Every scenario, broken off after each of its events, in both ways. */
export async function checkAllEvents(fuzz: StreamFuzz): Promise<number> {
  let count = 0;
  for (const [at, { events }] of fuzz.scenarios.entries()) {
    const { ends } = framed(events, "plain");
    for (const length of [0, ...ends]) {
      for (const ending of ["end", "break"] as const) {
        await checkTruncation(fuzz, at, "plain", length, [64], ending);
        count += 1;
      }
    }
  }
  return count;
}

/** Every scenario, broken off after each of its bytes, or each so many of them, in one way and the other by turns. */
export async function checkAllBytes(fuzz: StreamFuzz, framing: Framing, stride: number): Promise<number> {
  let count = 0;
  for (const [at, { events }] of fuzz.scenarios.entries()) {
    const { bytes } = framed(events, framing);
    for (let length = 0; length <= bytes.length; length += stride) {
      await checkTruncation(fuzz, at, framing, length, [512], count % 2 === 0 ? "end" : "break");
      count += 1;
    }
  }
  return count;
}

const sizes = fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 12 });

/** Random framings, pieces and places to break off. */
export async function checkRandomDeliveries(fuzz: StreamFuzz, numRuns: number, seed: number): Promise<void> {
  const plan = fc.record({
    at: fc.nat(fuzz.scenarios.length - 1),
    framing: fc.constantFrom(...framings),
    sizes,
    breaks: fc.option(fc.record({ part: fc.double({ min: 0, max: 1, noNaN: true }), ending: fc.constantFrom("end", "break") })),
  });
  await fc.assert(
    fc.asyncProperty(plan, async ({ at, framing, sizes: pieces, breaks }) => {
      if (breaks === null) return checkDelivery(fuzz, at, framing, pieces);
      const { bytes } = framed(scenarioAt(fuzz, at).events, framing);
      await checkTruncation(fuzz, at, framing, Math.floor(breaks.part * bytes.length), pieces, breaks.ending);
    }),
    { numRuns, seed },
  );
}

/** Calls whose events are mixed at random, each call's own in their order. */
export async function checkInterleavings(fuzz: StreamFuzz, numRuns: number, seed: number): Promise<void> {
  const parallel = fuzz.scenarios.filter(
    ({ expected, name }) => "executed" in expected && expected.executed.length > 1 && !/without (output|item|ids)/.test(name),
  );
  const plan = fc.record({ at: fc.nat(parallel.length - 1), picks: fc.array(fc.nat(9), { minLength: 1, maxLength: 60 }), sizes });
  await fc.assert(
    fc.asyncProperty(plan, async ({ at, picks, sizes: pieces }) => {
      const { events, whole } = parallel[at] as (typeof parallel)[number];
      const { bytes } = framed(mixed(events, picks), "plain");
      const { items, executed, output, history } = await traceOf([{ pieces: cut(bytes, pieces), ending: "end" }, fuzz.last]);
      const { items: sameItems, executed: sameExecuted, output: sameOutput, history: sameHistory } = whole;
      expect({ items, executed, output, history }).toEqual({
        items: sameItems,
        executed: sameExecuted,
        output: sameOutput,
        history: sameHistory,
      });
    }),
    { numRuns, seed },
  );
}

/** The items are opened in their order; what follows of each comes whenever it is picked. */
function mixed(events: readonly WireEvent[], picks: readonly number[]): readonly WireEvent[] {
  const queues = new Map<unknown, WireEvent[]>();
  const opened: WireEvent[] = [];
  for (const event of events.slice(2, -1)) {
    if (event["output_index"] === undefined) continue;
    if (event.type === "response.output_item.added") opened.push(event);
    else queues.set(event["output_index"], [...(queues.get(event["output_index"]) ?? []), event]);
  }
  const rest: WireEvent[] = [];
  for (let turn = 0; [...queues.values()].some((queue) => queue.length > 0); turn += 1) {
    const open = [...queues.values()].filter((queue) => queue.length > 0);
    rest.push(open[(picks[turn % picks.length] ?? 0) % open.length]?.shift() as WireEvent);
  }
  return [...events.slice(0, 2), ...opened, ...rest, ...events.slice(-1)];
}

const garbage = fc.constantFrom<unknown>(null, 0, -1, 4_294_967_295, "", "x", [], {}, [null], { type: 1 }, true);
const mangling = fc.oneof(
  fc.record({ how: fc.constant("drop" as const), at: fc.nat(60) }),
  fc.record({ how: fc.constant("double" as const), at: fc.nat(60) }),
  fc.record({ how: fc.constant("swap" as const), at: fc.nat(60) }),
  fc.record({ how: fc.constant("field" as const), at: fc.nat(60), field: fc.nat(9), value: garbage }),
  fc.record({ how: fc.constant("item field" as const), at: fc.nat(60), field: fc.nat(9), value: garbage }),
  fc.record({
    how: fc.constant("frame" as const),
    at: fc.nat(60),
    text: fc.constantFrom("data: {\n\n", "data: null\n\n", "data: 5\n\n", "data:\n\n", "nonsense\n\n", "data: []\n\n"),
  }),
);
type Mangling = typeof mangling extends fc.Arbitrary<infer Each> ? Each : never;

/** Events that no server should send: a typed error or an answer, a tool only after a completed response, and never a hang. */
export async function checkMangledStreams(fuzz: StreamFuzz, numRuns: number, seed: number): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  const plan = fc.record({ at: fc.nat(fuzz.scenarios.length - 1), manglings: fc.array(mangling, { minLength: 1, maxLength: 4 }), sizes });
  await fc.assert(
    fc.asyncProperty(plan, async ({ at, manglings, sizes: pieces }) => {
      const text = mangled(scenarioAt(fuzz, at).events, manglings);
      const trace = await traceOf([{ pieces: cut(new TextEncoder().encode(text), pieces), ending: "end" }, fuzz.last]);
      counts.set(trace.end, (counts.get(trace.end) ?? 0) + 1);
      if (trace.end === "completed" || trace.end === "refused") return expectPaired(trace);
      expect(trace.end).toMatch(/^MODEL_(FAILED|INCOMPLETE|STREAM_ENDED|PROTOCOL)$/);
      expectNothingKept(trace, "mangled");
    }),
    { numRuns, seed },
  );
  return counts;
}

function expectPaired({ items }: Trace): void {
  const ids = (type: string) => items.flatMap((item) => ("type" in item && item.type === type && "call_id" in item ? [item.call_id] : []));
  expect(ids("function_call_output")).toEqual(ids("function_call"));
}

function mangled(events: readonly WireEvent[], manglings: readonly Mangling[]): string {
  const list: (WireEvent | string)[] = [...events];
  for (const each of manglings) {
    const at = each.at % Math.max(1, list.length);
    const event = list[at];
    if (event === undefined) continue;
    if (each.how === "drop") list.splice(at, 1);
    else if (each.how === "double") list.splice(at, 0, event);
    else if (each.how === "swap") list.splice(at, 2, list[at + 1] ?? event, event);
    else if (each.how === "frame") list.splice(at, 0, each.text);
    else if (typeof event !== "string")
      list[at] = each.how === "field" ? withField(event, each) : { ...event, item: withField(event["item"], each) };
  }
  return list.map((event) => (typeof event === "string" ? event : `data: ${JSON.stringify(event)}\n\n`)).join("");
}

function withField(object: unknown, { field, value }: { readonly field: number; readonly value: unknown }): WireEvent {
  const known = (typeof object === "object" && object !== null ? object : {}) as WireEvent;
  const keys = Object.keys(known);
  const key = keys[field % Math.max(1, keys.length)] ?? "type";
  return { ...known, [key]: value };
}
