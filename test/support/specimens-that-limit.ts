import { newFile } from "./built-ins.js";
import { abortDropped, awaits, drop, made, never, onAbort, plainNext, type Specimen } from "./specimen.js";

const waits = { minDelayMs: 300, maxDelayMs: 300, attempts: 2 };
const quick = { minDelayMs: 1, maxDelayMs: 1, attempts: 2 };
const inAll = { requests: 1_000, tokens: 1_000_000, toolCalls: 1_000 };
const deafWait = [drop("wait.ts", onAbort)];
const answersLast = 'next(onExhausted === "answer" && call.step === steps - 1 ? answerOnly(call) : call)';
const slowStore = { get: never, set() {} };

/** The built-ins that bound, repeat and keep. */
export const limitingSpecimens: readonly Specimen[] = [
  {
    of: "budget",
    entry: "budget.ts",
    make: made("budget", { steps: 100, ...inAll }),
    tool: ["budget.ts", `return ${awaits}`, plainNext],
    model: ["budget.ts", `if (wallMs === undefined) return ${plainNext};`, plainNext],
    state: "budget.ts",
    own: [abortDropped("its timer goes on", [drop("budget.ts", "limit.clear();")], made("budget", { wallMs: 60_000 }))],
  },
  {
    of: "cache",
    entry: "cache.ts",
    make: made("cache", {}),
    tool: ["cache.ts", "write(known, reads, () => next(call), signal)", plainNext],
    model: ["cache.ts", `: ${awaits}`, plainNext],
    state: "cache.ts",
    own: [
      {
        name: "state shared: reads of all arguments are one",
        caughtBy: "answers",
        changes: [{ file: "cache-reads.ts", find: "parameters, checked]", put: "parameters]" }],
      },
      abortDropped(
        "waits for a slow store",
        [drop("cache-access.ts", 'else signal?.addEventListener("abort", stop, { once: true });')],
        made("cache", { scope: "shared", store: slowStore, onStoreError() {} }),
      ),
    ],
  },
  {
    of: "circuitBreaker",
    entry: "circuit-breaker.ts",
    make: made("circuitBreaker", { tools: true }),
    tool: ["circuit-breaker.ts", `call.issues !== undefined) return ${plainNext}`, plainNext],
    model: ["circuit-breaker.ts", `const response = ${awaits}`, plainNext],
  },
  {
    of: "compact",
    entry: "compact.ts",
    make: made("compact", { maxTokens: 100_000 }),
    model: [
      "compact.ts",
      "next(shortened === request ? call : { ...call, request: shortened })",
      "next(shortened === request ? call : { ...call, request: shortened })",
    ],
    state: "compact.ts",
  },
  {
    of: "fallback",
    entry: "fallback.ts",
    make: made("fallback", { models: ["other"] }),
    model: [
      "fallback.ts",
      "next(model === undefined ? call : callOf(call, model))",
      "next(model === undefined ? call : callOf(call, model))",
    ],
    state: "fallback.ts",
  },
  {
    of: "modelRetry",
    entry: "model-retry.ts",
    make: made("modelRetry", quick),
    model: ["model-retry.ts", awaits, plainNext],
    own: [
      abortDropped("waits on before a repeat", deafWait, made("modelRetry", waits)),
      {
        name: "refused requests are repeated",
        caughtBy: "repeats",
        changes: [drop("model-retry.ts", " || !error.retryable")],
      },
    ],
  },
  {
    of: "rateLimit",
    entry: "rate-limit.ts",
    make: made("rateLimit", { requestsPerMinute: 1_000, concurrency: 10 }),
    model: ["rate-limit.ts", awaits, plainNext],
    own: [abortDropped("waits for its turn", [drop("rate-lane.ts", onAbort)], made("rateLimit", { requestsPerMinute: 2 }))],
  },
  {
    of: "replay",
    entry: "replay.ts",
    make: (makers) => made("replay", { file: newFile(), mode: "record" })(makers),
    tool: ["replay.ts", `const outcome = ${awaits}`, plainNext],
    model: ["record-run.ts", awaits, plainNext],
    state: "replay.ts",
  },
  {
    of: "stepBudget",
    entry: "step-budget.ts",
    make: made("stepBudget", 5),
    tool: ["step-budget.ts", "call.step < steps - 1 ? next(call)", plainNext],
    model: ["step-budget.ts", answersLast, answersLast],
    own: [
      {
        name: "state shared: steps of all runs are counted in one",
        caughtBy: "isolation",
        changes: [
          { file: "step-budget.ts", find: "if (call.step >= steps)", put: "if ((stepsOfAll += 1) > steps)", head: "let stepsOfAll = 0;" },
        ],
      },
    ],
  },
  {
    of: "timeout",
    entry: "timeout.ts",
    make: made("timeout", { modelMs: 60_000, toolMs: 60_000 }),
    tool: ["timeout.ts", "next(sooner(call, tools.get(call.name) ?? toolMs))", "next(sooner(call, tools.get(call.name) ?? toolMs))"],
    model: ["timeout.ts", "next({ ...call, signal: limit.signal })", "next({ ...call, signal: limit.signal })"],
    own: [abortDropped("its timer goes on", [drop("timeout.ts", "limit.clear();")])],
  },
  {
    of: "toolRetry",
    entry: "tool-retry.ts",
    make: made("toolRetry", quick),
    tool: ["tool-retry.ts", `let outcome = ${awaits}`, plainNext],
    own: [
      abortDropped("waits on before a repeat", deafWait, made("toolRetry", waits)),
      {
        name: "invalid retried: whatever has an error",
        caughtBy: "repeats",
        changes: [{ file: "tool-retry.ts", find: 'outcome.kind === "failed" && outcome.error.retryable', put: '"error" in outcome' }],
      },
      {
        name: "unknown retried: writes too",
        caughtBy: "repeats",
        changes: [
          drop("tool-retry.ts", '|| !tool.effectDeclared || !(tool.effect === "read" || tool.idempotent)'),
          { file: "tool-retry.ts", find: 'outcome.kind === "failed" && outcome.error.retryable', put: 'outcome.kind === "unknown"' },
        ],
      },
    ],
  },
];
