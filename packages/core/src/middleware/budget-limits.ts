import type { JsonObject } from "../contracts/json.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { checkCost, type CostBudget } from "./budget-cost.js";
import { timeLimit } from "./deadline.js";
import { checkOptions, oneOf, type OptionCheck, positiveInteger } from "./options.js";
import { type OnExhausted, type UsedUp, usedUp } from "./used-up.js";

/** Options of {@link budget}: any of the limits, but at least one. */
export interface BudgetOptions {
  /** Replies of the model, as `stepBudget` counts them. A positive integer. */
  readonly steps?: number | undefined;
  /** Requests to models, repeated ones and those of nested agents included. A positive integer. */
  readonly requests?: number | undefined;
  /** Calls of tools, in the model's order; calls over it are `skipped`. A positive integer. */
  readonly toolCalls?: number | undefined;
  /** Tokens in all, `usage.totalTokens`. A positive integer. */
  readonly tokens?: number | undefined;
  readonly cost?: CostBudget | undefined;
  /** Milliseconds of work, from the run's start; the time in which it is paused does not count. */
  readonly wallMs?: number | undefined;
  /** What a used-up budget does. Default `"throw"`. */
  readonly onExhausted?: OnExhausted | undefined;
}

const cost: OptionCheck = (value) => (typeof value === "object" && value !== null && !Array.isArray(value) ? undefined : "{ usd, prices }");

const checks = {
  steps: positiveInteger,
  requests: positiveInteger,
  toolCalls: positiveInteger,
  tokens: positiveInteger,
  cost,
  wallMs: timeLimit,
  onExhausted: oneOf("throw", "answer", "stop"),
};

/** @throws ToolwrightError `RUN_OPTIONS` */
export function checkBudget(options: BudgetOptions): void {
  checkOptions("budget", options, checks);
  if (options.cost !== undefined) checkCost(options.cost);
  const { onExhausted: _, ...limits } = options;
  if (Object.values(limits).some((limit) => limit !== undefined)) return;
  throw new ToolwrightError("RUN_OPTIONS", "budget() bounds nothing.", {
    fix: "Give one of steps, requests, toolCalls, tokens, cost, wallMs.",
  });
}

/** The options as `agent.explain()` shows them. */
export function shownBudget({ cost: bounded, onExhausted = "throw", ...limits }: BudgetOptions): JsonObject {
  const given = Object.entries(limits).filter((entry): entry is [string, number] => entry[1] !== undefined);
  return { ...Object.fromEntries(given), ...(bounded && { cost: { usd: bounded.usd, models: Object.keys(bounded.prices) } }), onExhausted };
}

/** What has been used so far. */
export interface Used {
  readonly step: number;
  readonly requests: number;
  readonly tokens: number;
  readonly usd: number;
  readonly elapsedMs: number;
}

/** The limits that can be used up, each with what it says then. */
export interface Limits {
  /** Of steps or requests: no request may follow. */
  noMore(used: Used): UsedUp | undefined;
  /** Of steps or requests: no request can follow the next one. */
  last(used: Used): boolean;
  /** Of tokens, cost or time. */
  spent(used: Used): UsedUp | undefined;
  /** Of tool calls, when so many were made before. */
  calls(made: number): UsedUp | undefined;
}

export function limitsOf({ steps, requests, toolCalls, tokens, cost: bounded, wallMs }: BudgetOptions): Limits {
  const reached = (limit: number | undefined, count: number): limit is number => limit !== undefined && count >= limit;
  return {
    noMore({ step, requests: made }) {
      if (reached(steps, step)) return usedUp("steps", steps, "steps");
      return reached(requests, made) ? usedUp("requests", requests, "requests") : undefined;
    },
    last: ({ step, requests: made }) => reached(steps, step + 1) || reached(requests, made + 1),
    spent({ tokens: told, usd, elapsedMs }) {
      if (reached(tokens, told)) return usedUp("tokens", tokens, "tokens");
      if (bounded !== undefined && usd >= bounded.usd) return usedUp("cost", bounded.usd, "USD");
      return reached(wallMs, elapsedMs) ? usedUp("wallMs", wallMs, "ms") : undefined;
    },
    calls: (made) => (reached(toolCalls, made) ? usedUp("toolCalls", toolCalls, "tool calls") : undefined),
  };
}
