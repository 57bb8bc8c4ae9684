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
import { newFile } from "./built-ins.js";

/** Takes the lines that a middleware writes. */
export interface Lines {
  readonly stream: { write(line: string): void };
  readonly all: string[];
}

/** A built-in with which a run at random goes as it would without. */
export interface PlacedMiddleware {
  readonly kind: string;
  make(lines: Lines): Middleware;
  /** Requests that one step may come to, and attempts of one call; each 1 unless told. */
  readonly requests?: number;
  readonly attempts?: number;
  /** Works with a history that the application keeps. */
  readonly localOnly?: true;
  /** May answer a call by itself. */
  readonly answers?: true;
  /** Puts something around what a tool gave. */
  readonly fences?: true;
}

const quick = { minDelayMs: 1, maxDelayMs: 1, attempts: 2 } as const;
const passes = () => ({ pass: true }) as const;
const spacious = { steps: 100, requests: 1_000, tokens: 10_000_000, toolCalls: 1_000, wallMs: 60_000 } as const;

/** All of them. */
export const placedMiddlewares: readonly PlacedMiddleware[] = [
  { kind: "afterUntrusted", make: () => afterUntrusted({ tools: ({ name }) => name === "carry_out" }) },
  { kind: "approval", make: () => approval({ when: () => false }) },
  { kind: "budget", make: () => budget(spacious) },
  { kind: "cache", make: () => cache(), answers: true },
  { kind: "cache", make: () => cache({ model: true, user: ({ id }) => id }), answers: true },
  { kind: "circuitBreaker", make: () => circuitBreaker({ failures: 100, tools: true }) },
  { kind: "coerceArguments", make: () => coerceArguments() },
  { kind: "compact", make: () => compact({ maxTokens: 10_000_000 }), localOnly: true },
  { kind: "fallback", make: () => fallback({ models: ["other"], afterOutput: "restart" }), requests: 2 },
  { kind: "inputGuard", make: () => inputGuard({ check: passes }) },
  { kind: "logging", make: ({ stream }) => logging({ stream, level: "debug" }) },
  { kind: "loopGuard", make: () => loopGuard({ repeats: 100, invalid: 100 }) },
  { kind: "modelRetry", make: () => modelRetry(quick), requests: 2 },
  { kind: "outputGuard", make: () => outputGuard({ check: passes }) },
  { kind: "rateLimit", make: () => rateLimit({ requestsPerMinute: 10_000, concurrency: 100 }) },
  { kind: "redact", make: () => redact() },
  { kind: "replay", make: () => replay({ file: newFile(), mode: "record" }), localOnly: true },
  { kind: "stepBudget", make: () => stepBudget(100) },
  { kind: "timeout", make: () => timeout({ modelMs: 60_000, toolMs: 60_000 }) },
  { kind: "toolErrors", make: () => toolErrors() },
  { kind: "toolGuard", make: () => toolGuard({ check: passes, checkOutcome: passes }) },
  { kind: "toolRetry", make: () => toolRetry(quick), attempts: 2 },
  { kind: "toolSelection", make: () => toolSelection({ select: (_, { run }) => run.tools.map(({ name }) => name) }) },
  { kind: "tracing", make: () => tracing() },
  { kind: "trimOutputs", make: () => trimOutputs() },
  { kind: "untrusted", make: () => untrusted(), fences: true },
];

/** Some of them, outermost first, each with a number that tells where it stands among a plan's own. */
export class RandomPipeline {
  readonly members: readonly PlacedMiddleware[];
  readonly #places: readonly number[];
  readonly #padded: boolean;

  constructor(members: readonly PlacedMiddleware[], places: readonly number[], padded = false) {
    this.members = members;
    this.#places = places;
    this.#padded = padded;
  }

  /** The same with layers that do nothing at every place. */
  padded(): RandomPipeline {
    return new RandomPipeline(this.members, this.#places, true);
  }

  /** Names of kinds, for messages. */
  toString(): string {
    return this.members.map(({ kind }) => kind).join(", ");
  }

  get localOnly(): boolean {
    return this.members.some(({ localOnly }) => localOnly === true);
  }

  get answers(): boolean {
    return this.members.some(({ answers }) => answers === true);
  }

  get fences(): boolean {
    return this.members.some(({ fences }) => fences === true);
  }

  /** Requests that one step may come to. */
  get requests(): number {
    return this.members.reduce((product, { requests = 1 }) => product * requests, 1);
  }

  /** Attempts that one call may come to. */
  get attempts(): number {
    return this.members.reduce((product, { attempts = 1 }) => product * attempts, 1);
  }

  /** Puts them among others, in their order. */
  around(own: readonly Middleware[], lines: Lines): readonly Middleware[] {
    const all = [...own];
    const taken = new Set(own.map(({ name }) => name));
    const places = this.#places.map((place) => place % (own.length + 1)).toSorted((left, right) => left - right);
    for (const [index, member] of this.members.entries()) all.splice(index + (places[index] ?? 0), 0, renamed(member.make(lines), taken));
    return this.#padded ? [...all.flatMap((middleware, index) => [passThrough(index), middleware]), passThrough(all.length)] : all;
  }
}

const passThrough = (index: number): Middleware => ({
  name: `pass ${index}`,
  wrapRun: async (call, next) => next(call),
  wrapModelCall: (call, next) => next(call),
  wrapToolCall: async (call, next) => next(call),
});

/** No middleware beside the plan's own. */
export const noPipeline = new RandomPipeline([], []);

function renamed(middleware: Middleware, taken: Set<string>): Middleware {
  const { name: kind } = middleware;
  const name = taken.has(kind) ? `${kind} ${taken.size}` : kind;
  taken.add(name);
  return name === kind ? middleware : { ...middleware, name, kind: middleware.kind ?? kind };
}
