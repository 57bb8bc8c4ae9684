import type { RunInfo } from "../contracts/middleware.js";
import type { Usage } from "../contracts/usage.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { type TokenPrices, usageCost } from "../run/usage-cost.js";
import { checkOption, checkOptions, type OptionCheck } from "./options.js";

/** What a run may cost. */
export interface CostBudget {
  /** More than 0. In the currency of the prices, which is US dollars by its name alone. */
  readonly usd: number;
  /** Prices by the model's name: of the agent's own model, of each that another middleware may ask, and of agents used as tools. */
  readonly prices: { readonly [model: string]: TokenPrices };
}

const amount: OptionCheck = (value) => (typeof value === "number" && Number.isFinite(value) && value > 0 ? undefined : "a number above 0");
const price: OptionCheck = (value) => (typeof value === "number" && Number.isFinite(value) && value >= 0 ? undefined : "a number from 0");
const table: OptionCheck = (value) =>
  typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length > 0
    ? undefined
    : "an object of prices by model name";

/** @throws ToolwrightError `RUN_OPTIONS` */
export function checkCost(cost: CostBudget): void {
  checkOptions("budget({ cost })", cost, { usd: amount, prices: table });
  checkOption("budget", "cost.usd", cost.usd, amount);
  checkOption("budget", "cost.prices", cost.prices, table);
  for (const [model, prices] of Object.entries(cost.prices)) {
    const owner = `budget({ cost }), prices of ${JSON.stringify(model)}`;
    checkOptions(owner, prices, { inputPerMillion: price, cachedInputPerMillion: price, outputPerMillion: price });
    checkOption(owner, "inputPerMillion", prices.inputPerMillion, price);
    checkOption(owner, "outputPerMillion", prices.outputPerMillion, price);
  }
}

/** What a run has cost so far, as its state keeps it. */
export type Bill = { usd: number };

/** What of a run's usage is on its bill already, by model. */
type Charged = { readonly [model: string]: Usage };

/** Puts what runs use on their bills. One for all runs of a budget; it holds on to none. */
export class Cashier {
  readonly #prices: CostBudget["prices"];
  readonly #charged = new WeakMap<RunInfo, Charged>();

  constructor({ prices }: CostBudget) {
    this.#prices = prices;
  }

  /**
   * Puts the tokens that the run has used since the last time onto its bill, agents used as tools included.
   *
   * @throws ToolwrightError `RUN_OPTIONS` for a model without prices.
   */
  charge(bill: Bill, run: RunInfo): void {
    const now = run.usageByModel;
    const before = this.#charged.get(run) ?? {};
    this.#charged.set(run, now);
    for (const [model, usage] of Object.entries(now)) {
      const known = before[model];
      const cost = (tokens: Usage): number => usageCost(tokens, priceOf(this.#prices, model));
      bill.usd += cost(usage) - (known === undefined ? 0 : cost(known));
    }
  }
}

/** @throws ToolwrightError `RUN_OPTIONS` for a model without prices. */
export function priceOf(prices: CostBudget["prices"], model: string): TokenPrices {
  const found = Object.hasOwn(prices, model) ? prices[model] : undefined;
  if (found !== undefined) return found;
  const known = Object.keys(prices).join(", ");
  throw new ToolwrightError("RUN_OPTIONS", `budget({ cost }) has no prices for the model ${JSON.stringify(model)}, but for ${known}.`, {
    fix: `Add \`prices: { ${JSON.stringify(model)}: { inputPerMillion, outputPerMillion } }\`.`,
    details: { model },
  });
}
