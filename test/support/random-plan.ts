import * as fc from "fast-check";
import { ways } from "./ways.js";

/** What a tool of a plan does when it is called. */
const doings = ["returns", "returns", "throws", "says", "is flaky", "heeds its signal"] as const;

/** The tools of every plan. All take `{ n, key }`. */
export const plannedTools = {
  read: { effect: "read" },
  keyed_read: { effect: "read", resource: "thing:{key}" },
  slow_read: { effect: "read", timeoutMs: 4 },
  few: { effect: "read", maxCalls: 2 },
  write: { effect: "write" },
  keyed: { effect: "write", resource: "thing:{key}" },
  asks: { effect: "write", approval: true },
  keyed_asks: { effect: "destructive", resource: "thing:{key}", approval: true },
  slow: { effect: "write", timeoutMs: 4 },
  slow_keyed: { effect: "write", resource: "thing:{key}", timeoutMs: 4 },
  put: { effect: "write", idempotent: true, timeoutMs: 4 },
  plain: {},
} as const;
export type PlannedTool = keyof typeof plannedTools;
export const plannedToolNames = Object.keys(plannedTools) as readonly PlannedTool[];

/** Undefined so many times for each time that it is not. */
const mostly = <T>(times: number, value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: times, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });
const rarely = <T>(value: fc.Arbitrary<T>) => mostly(12, value);
const sometimes = <T>(value: fc.Arbitrary<T>) => mostly(2, value);

const plannedCall = fc.record({
  tool: fc.constantFrom(...plannedToolNames, "nowhere" as const),
  does: fc.constantFrom(...doings),
  delayMs: fc.nat(6),
  key: fc.nat(1),
  wrong: rarely(fc.constantFrom("{", '{"n":"1"}', "[]", '{"n":1,"key":0,"more":2}')),
  twin: rarely(fc.constantFrom("same", "other")),
  thought: fc.boolean(),
  /** A call id that other steps use as well. */
  sameId: fc.boolean(),
  /** The arguments of the last call of this tool once more. */
  again: fc.boolean(),
});
export type PlannedCall = typeof plannedCall extends fc.Arbitrary<infer Plan> ? Plan : never;

const plannedStep = fc.record({
  calls: fc.array(plannedCall, { minLength: 1, maxLength: 5 }),
  fault: rarely(fc.constantFrom("http", "busy", "failed", "error", "cut", "end", "incomplete")),
});

const abort = fc.oneof(fc.record({ afterMs: fc.nat(25) }), fc.record({ atEvent: fc.nat(60) }));

/** A run at random: what the model does, what the tools do, what the application does. */
export const plannedRun = fc.record({
  way: fc.constantFrom(...ways),
  transport: fc.constantFrom("auto", "sse"),
  kind: fc.constantFrom("local", "session", "chained", "conversation"),
  steps: fc.array(plannedStep, { minLength: 1, maxLength: 5 }),
  chunk: rarely(fc.constantFrom("byte", "random")),
  denies: fc.nat(7),
  /** The call with this number meets a middleware that throws, before or after its tool. */
  breaks: rarely(fc.record({ n: fc.nat(8), when: fc.constantFrom("before", "after") })),
  abort: sometimes(abort),
  stepTimeoutMs: rarely(fc.integer({ min: 5, max: 40 })),
  observed: fc.boolean(),
  concurrency: sometimes(fc.integer({ min: 1, max: 3 })),
  maxSteps: rarely(fc.integer({ min: 1, max: 5 })),
  budget: rarely(fc.record({ steps: fc.integer({ min: 1, max: 4 }), onExhausted: fc.constantFrom("throw", "answer", "stop") })),
  retries: sometimes(fc.constantFrom("fail", "restart")),
  forced: fc.boolean(),
  /** What a person says, one word a call, over and over. */
  decisions: fc.array(fc.constantFrom("approve", "approve", "deny", "edit", "leave"), { minLength: 1, maxLength: 6 }),
  /** How often a person looks at what waits before going on without it. */
  rounds: fc.nat(8),
  /** How a paused run is kept. */
  kept: fc.constantFrom("object", "json", "text"),
});
export type PlannedRun = typeof plannedRun extends fc.Arbitrary<infer Plan> ? Plan : never;
