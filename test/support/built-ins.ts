import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Middleware } from "@toolwright/core";
import {
  afterUntrusted,
  approval,
  budget,
  cache,
  circuitBreaker,
  coerceArguments,
  compact,
  fallback,
  inputGuard,
  logging,
  loopGuard,
  modelRetry,
  outputGuard,
  rateLimit,
  redact,
  replay,
  stepBudget,
  timeout,
  toolErrors,
  toolGuard,
  toolRetry,
  toolSelection,
  tracing,
  trimOutputs,
  untrusted,
} from "@toolwright/core/middleware";
import type { MiddlewareContractOptions } from "@toolwright/testing";

/** A built-in middleware as it is shown to keep the contract. */
export interface BuiltIn {
  /** Of its maker, the kind of what it makes. */
  readonly kind: string;
  /** Makes one that has no reason of its own to act. */
  readonly make: () => Middleware;
  readonly options?: MiddlewareContractOptions;
}

const folder = mkdtempSync(join(tmpdir(), "toolwright-built-ins-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
let files = 0;
/** A file that is not there yet. */
export const newFile = (): string => join(folder, `${(files += 1)}.jsonl`);

const lines: string[] = [];
/** Keeps what is written to it. */
export const linesStream = { write: (line: string): void => void lines.push(line) };
/** What was written to {@link linesStream}. */
export const writtenLines = (): readonly string[] => lines;

const waits = { minDelayMs: 80, maxDelayMs: 80 };
const passes = () => ({ pass: true }) as const;
const spacious = { requests: 1_000, tokens: 1_000_000, toolCalls: 1_000, wallMs: 60_000 } as const;

/** Every built-in, some of them in more than one form. */
export const builtIns: readonly BuiltIn[] = [
  { kind: "afterUntrusted", make: () => afterUntrusted({ tools: ({ name }) => name === "carry_out" }) },
  { kind: "approval", make: () => approval() },
  { kind: "budget", make: () => budget({ steps: 100, ...spacious }) },
  // As much as a run of the suites needs, and not a call more.
  { kind: "budget", make: () => budget({ steps: 5, toolCalls: 8, requests: 5, onExhausted: "stop" }) },
  { kind: "cache", make: () => cache() },
  { kind: "cache", make: () => cache({ model: true, scope: "shared" }) },
  { kind: "circuitBreaker", make: () => circuitBreaker({ tools: true }) },
  { kind: "coerceArguments", make: () => coerceArguments() },
  { kind: "compact", make: () => compact({ maxTokens: 100_000 }), options: { histories: ["local"] } },
  { kind: "fallback", make: () => fallback({ models: ["other"] }) },
  { kind: "inputGuard", make: () => inputGuard({ check: passes, onBlock: "refuse" }) },
  {
    kind: "logging",
    make: () => logging({ stream: linesStream, format: "json", content: true, level: "debug" }),
    options: { written: writtenLines },
  },
  { kind: "loopGuard", make: () => loopGuard() },
  { kind: "modelRetry", make: () => modelRetry({ ...waits, attempts: 2 }) },
  { kind: "outputGuard", make: () => outputGuard({ check: passes }) },
  { kind: "rateLimit", make: () => rateLimit({ requestsPerMinute: 1_000, tokensPerMinute: 1_000_000, concurrency: 10 }) },
  { kind: "redact", make: () => redact() },
  { kind: "replay", make: () => replay({ file: newFile(), mode: "record" }), options: { histories: ["local"] } },
  { kind: "stepBudget", make: () => stepBudget(5) },
  { kind: "timeout", make: () => timeout({ modelMs: 60_000, toolMs: 60_000 }) },
  { kind: "toolErrors", make: () => toolErrors() },
  { kind: "toolGuard", make: () => toolGuard({ check: passes, checkOutcome: passes }) },
  { kind: "toolRetry", make: () => toolRetry({ ...waits, attempts: 2 }) },
  { kind: "toolSelection", make: () => toolSelection({ select: (_, { run }) => run.tools.map(({ name }) => name) }) },
  { kind: "tracing", make: () => tracing() },
  { kind: "trimOutputs", make: () => trimOutputs() },
  { kind: "untrusted", make: () => untrusted(), options: { changes: { requests: true, outputs: true } } },
];
