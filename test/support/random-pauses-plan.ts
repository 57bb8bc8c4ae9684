import * as fc from "fast-check";
import { ways } from "./ways.js";

/** The tools of every agent of a plan. Those of a class take `{ n, key, tag? }`. */
export const toolNames = [
  "read",
  "write",
  "keyed",
  "pay",
  "drop",
  "pick",
  "few",
  "says",
  "lost",
  "query",
  "remote",
  "transfer",
  "nowhere",
] as const;
export type ToolName = (typeof toolNames)[number];

/** Agents as tools: the second waits for a person before it starts. */
export const helperNames = ["helper", "asked_helper"] as const;

export interface PlannedCall {
  readonly tool: ToolName | (typeof helperNames)[number];
  readonly n: number;
  readonly key: number;
  /** Arguments that fit nothing. */
  readonly wrong?: boolean | undefined;
  /** What the run inside does, of an agent's call. */
  readonly steps?: PlannedSteps | undefined;
}
export type PlannedSteps = readonly (readonly PlannedCall[])[];

/** Agents stand in each other at most so deep. */
export const depth = 3;

const toolCall: fc.Arbitrary<PlannedCall> = fc.record({
  // Some more of what ends in doubt, and of the same once more.
  tool: fc.constantFrom(...toolNames, "lost" as const, "lost" as const),
  n: fc.constantFrom(0, 1, 1, 2, 3, 7, 8),
  key: fc.constantFrom(0, 0, 1),
  wrong: fc.oneof({ weight: 15, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
});

function steps(level: number): fc.Arbitrary<PlannedSteps> {
  const agentCall: fc.Arbitrary<PlannedCall> | undefined =
    level === depth
      ? undefined
      : fc.record({ tool: fc.constantFrom(...helperNames), n: fc.constant(0), key: fc.constant(0), steps: steps(level + 1) });
  const call =
    agentCall === undefined
      ? toolCall
      : fc.oneof({ weight: 4, arbitrary: toolCall }, { weight: level === 0 ? 2 : 1, arbitrary: agentCall });
  const most = level === 0 ? 4 : 2;
  return fc.array(fc.array(call, { minLength: 1, maxLength: most }), { minLength: 1, maxLength: level === 0 ? 3 : 2 });
}

/** Where a paused run goes on: with the object at hand, with its JSON, with its text, or in a process of its own. */
const places = ["object", "json", "text"] as const;
export type Place = (typeof places)[number] | "process";
const place = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom(...places) },
  // It takes as long as a hundred others.
  { weight: 1, arbitrary: fc.constant("process" as const) },
);

/** What is tried with a paused run before it goes on, all of it in vain. */
export const mischiefs = ["unknown id", "two words", "wrong word", "bad edit", "other arguments", "another version"] as const;

const listOf = <T>(value: fc.Arbitrary<T>) => fc.array(value, { minLength: 1, maxLength: 6 });
const list = <T>(...values: readonly T[]) => listOf(fc.constantFrom(...values));

/** A run at random that pauses: what its model and tools do, who keeps its history, and what people say. */
export const pausePlan = fc.record({
  steps: steps(0),
  kind: fc.constantFrom("local", "memory", "file", "chained", "conversation"),
  ways: list(...ways),
  places: listOf(place),
  /** What a person says of a call, by its place in the run. */
  words: list("approve", "approve", "edit", "say again", "deny", "deny with a reason"),
  /** How often a person leaves some calls for later. */
  partial: fc.nat(3),
  mischief: list(undefined, ...mischiefs),
  /** Tools that destroy wait by the approval middleware. */
  policy: fc.boolean(),
  /** A middleware that changes arguments. */
  rewrites: fc.constantFrom(undefined, "ceiling", "tag"),
  /** The answer has a form, at the top or at all levels; so many answers do not fit it, the first after so many steps. */
  formed: fc.constantFrom(undefined, undefined, "top", "all"),
  misfits: fc.record({ count: fc.nat(3), after: fc.nat(2) }),
  budget: fc.oneof(
    { weight: 4, arbitrary: fc.constant(undefined) },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constantFrom("maxSteps", "throw", "stop", "answer", "requests"),
        limit: fc.integer({ min: 1, max: 6 }),
      }),
    },
  ),
  concurrency: fc.constantFrom(undefined, undefined, 1, 2),
  signed: fc.boolean(),
  thinks: fc.boolean(),
});
export type PausePlan = typeof pausePlan extends fc.Arbitrary<infer Plan> ? Plan : never;

/** One that waits for approval at once and goes on in other processes alone. */
export const restartedPlan: fc.Arbitrary<PausePlan> = fc
  .tuple(pausePlan, fc.constantFrom("file", "local", "chained"))
  .map(([plan, kind]) => ({
    ...plan,
    kind,
    steps: [[{ tool: "pay", n: 2, key: 0 }, ...(plan.steps[0] ?? [])], ...plan.steps.slice(1)],
    places: ["process"],
  }));
