import { defineMiddleware, ToolwrightError, usageCost } from "@toolwright/core";
import type { AnyAgent, Prices } from "./find-agent.js";

/** Counts what an agent's runs cost, by the prices of the models that they asked. */
export class Bill {
  readonly #prices: Prices;
  #cost = 0;
  readonly #unpriced = new Set<string>();

  private constructor(prices: Prices) {
    this.#prices = prices;
  }

  /** @returns undefined when there are no prices, or the agent has run already, and its pipeline is fixed. */
  static of(agent: AnyAgent, prices: Prices | undefined): Bill | undefined {
    if (prices === undefined) return undefined;
    const bill = new Bill(prices);
    try {
      agent.use(bill.#middleware());
      return bill;
    } catch (error) {
      if (ToolwrightError.is(error, "RUN_OPTIONS")) return undefined;
      throw error;
    }
  }

  #middleware() {
    return defineMiddleware({
      name: "toolwright-chat-bill",
      wrapRun: async (call, next, { run }) => {
        try {
          return await next(call);
        } finally {
          // A resumed run counts from its pause on, so that each part is counted once.
          for (const [model, usage] of Object.entries(run.usageByModel)) {
            const price = this.#prices[model];
            if (price === undefined) this.#unpriced.add(model);
            else this.#cost += usageCost(usage, price);
          }
        }
      },
    });
  }

  /** What the runs since the last time cost, and the models among them that have no price. */
  take(): { readonly cost: number; readonly unpriced: readonly string[] } {
    const taken = { cost: this.#cost, unpriced: [...this.#unpriced] };
    this.#cost = 0;
    this.#unpriced.clear();
    return taken;
  }
}
