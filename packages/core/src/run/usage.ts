import type { ModelResponse } from "../contracts/model.js";
import type { Usage } from "../contracts/usage.js";

const fields = ["requests", "inputTokens", "cachedInputTokens", "outputTokens", "reasoningTokens", "totalTokens"] as const;

/** Counts of a run. What a nested agent uses counts in every run above it. */
export class UsageCounter {
  readonly #counts = { requests: 0, inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, reasoningTokens: 0, totalTokens: 0 };
  readonly #parent: UsageCounter | undefined;

  constructor(start: Usage | undefined, parent: UsageCounter | undefined) {
    if (start !== undefined) for (const field of fields) this.#counts[field] = start[field];
    this.#parent = parent;
  }

  addRequest(): void {
    this.#counts.requests += 1;
    this.#parent?.addRequest();
  }

  addTokens(usage: ModelResponse["usage"]): void {
    for (const field of fields) if (field !== "requests") this.#counts[field] += usage[field];
    this.#parent?.addTokens(usage);
  }

  snapshot(): Usage {
    return { ...this.#counts };
  }

  since(start: Usage): Usage {
    const difference = { ...this.#counts };
    for (const field of fields) difference[field] -= start[field];
    return difference;
  }
}
