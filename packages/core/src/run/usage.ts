import type { ModelResponse } from "../contracts/model.js";
import type { Usage } from "../contracts/usage.js";

const fields = ["requests", "inputTokens", "cachedInputTokens", "outputTokens", "reasoningTokens", "totalTokens"] as const;

type Counts = { -readonly [Field in keyof Usage]: Usage[Field] };

const nothing = (): Counts => ({
  requests: 0,
  inputTokens: 0,
  cachedInputTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  totalTokens: 0,
});

/** Counts of a run. What a nested agent uses counts in every run above it. */
export class UsageCounter {
  readonly #counts = nothing();
  readonly #byModel = new Map<string, Counts>();
  readonly #parent: UsageCounter | undefined;

  constructor(start: Usage | undefined, parent: UsageCounter | undefined) {
    if (start !== undefined) for (const field of fields) this.#counts[field] = start[field];
    this.#parent = parent;
  }

  addRequest(model: string): void {
    this.#counts.requests += 1;
    this.#of(model).requests += 1;
    this.#parent?.addRequest(model);
  }

  addTokens(model: string, usage: ModelResponse["usage"]): void {
    const own = this.#of(model);
    for (const field of fields) {
      if (field === "requests") continue;
      this.#counts[field] += usage[field];
      own[field] += usage[field];
    }
    this.#parent?.addTokens(model, usage);
  }

  snapshot(): Usage {
    return { ...this.#counts };
  }

  byModel(): { readonly [model: string]: Usage } {
    return Object.fromEntries([...this.#byModel].map(([model, counts]) => [model, { ...counts }]));
  }

  since(start: Usage): Usage {
    const difference = { ...this.#counts };
    for (const field of fields) difference[field] -= start[field];
    return difference;
  }

  #of(model: string): Counts {
    const known = this.#byModel.get(model) ?? nothing();
    this.#byModel.set(model, known);
    return known;
  }
}
