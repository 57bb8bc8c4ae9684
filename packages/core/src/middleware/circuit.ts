/** When a circuit opens, and for how long. */
export interface CircuitOptions {
  /** Failures with no success between them. */
  readonly failures: number;
  /** They count only within so many milliseconds. */
  readonly windowMs: number;
  /** Milliseconds for which it stays open. */
  readonly cooldownMs: number;
}

/** How an attempt ended: `unclear` when it says nothing of the other side, as after an abort. */
export type AttemptEnd = "ok" | "failed" | "unclear";

/** An attempt that may be made. Call `end` exactly once. */
export interface Attempt {
  end(how: AttemptEnd): void;
}

/** An attempt that is not made, and how many milliseconds to wait. */
export interface Refused {
  readonly retryAfterMs: number;
}

/**
 * Closed, attempts pass. After too many failures it is open, and none does. When the cooldown is over it is half open: one
 * attempt passes as a probe, and what that comes to closes it or opens it anew.
 */
export class Circuit {
  readonly #options: CircuitOptions;
  /** When the last failures were, oldest first; no more than it takes. */
  #failedAt: number[] = [];
  #openUntil: number | undefined;
  #probing = false;
  /** Changes with the state: an attempt that began before tells nothing of it. */
  #era = 0;

  constructor(options: CircuitOptions) {
    this.#options = options;
  }

  /** Asks to make an attempt. */
  enter(): Attempt | Refused {
    if (this.#openUntil === undefined) return this.#attempt((how) => this.#count(how));
    const leftMs = this.#openUntil - performance.now();
    if (leftMs > 0) return { retryAfterMs: Math.ceil(leftMs) };
    // The probe may open it for as long again.
    if (this.#probing) return { retryAfterMs: this.#options.cooldownMs };
    this.#probing = true;
    return this.#attempt((how) => this.#settle(how));
  }

  #attempt(told: (how: AttemptEnd) => void): Attempt {
    const era = this.#era;
    return {
      end: (how) => {
        if (era === this.#era) told(how);
      },
    };
  }

  #count(how: AttemptEnd): void {
    if (how === "ok") this.#failedAt = [];
    if (how !== "failed") return;
    const { failures, windowMs } = this.#options;
    const now = performance.now();
    this.#failedAt = [...this.#failedAt.filter((at) => at > now - windowMs), now].slice(-failures);
    if (this.#failedAt.length >= failures) this.#open();
  }

  #settle(how: AttemptEnd): void {
    this.#probing = false;
    if (how === "failed") this.#open();
    // An unclear probe leaves it half open, and the next attempt is the probe.
    else if (how === "ok") this.#close();
  }

  #open(): void {
    this.#era += 1;
    this.#failedAt = [];
    this.#openUntil = performance.now() + this.#options.cooldownMs;
  }

  #close(): void {
    this.#era += 1;
    this.#failedAt = [];
    this.#openUntil = undefined;
  }
}
