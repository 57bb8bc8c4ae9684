import { ToolwrightError } from "../errors/toolwright-error.js";

/** How much one model may be asked. */
export interface RateLimits {
  readonly requestsPerMinute: number;
  readonly tokensPerMinute: number;
  readonly concurrency: number;
  readonly maxWaitMs: number;
}

/** A request that has begun. Call `end` when it is over, with the tokens that it has really used, if they are known. */
export interface Begun {
  end(tokens: number | undefined): void;
}

interface Entry {
  readonly at: number;
  tokens: number;
}

interface Waiter {
  readonly tokens: number;
  begin(): void;
}

const windowMs = 60_000;

/**
 * The requests to one model: those of the last minute, and those that wait, first come first served. A request that waits
 * holds up all behind it, be they ever so small, so that a large one is not overtaken for ever. There is a timer only
 * while somebody waits.
 */
export class RateLane {
  readonly #model: string;
  readonly #limits: RateLimits;
  /** Begun within the last minute, oldest first. */
  readonly #entries: Entry[] = [];
  readonly #waiting: Waiter[] = [];
  #tokens = 0;
  #running = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(model: string, limits: RateLimits) {
    this.#model = model;
    this.#limits = limits;
  }

  /** True when nothing is left to remember. */
  get idle(): boolean {
    this.#forgetOld();
    return this.#running === 0 && this.#waiting.length === 0 && this.#entries.length === 0;
  }

  /**
   * Begins a request as soon as it may begin.
   *
   * @param tokens - an estimate of what it will use.
   * @throws ToolwrightError `MODEL_RATE_LIMIT` when it would have to wait for too long; what `ended` gives once the signal is
   * aborted.
   */
  begin(tokens: number, signal: AbortSignal, ended: () => Error): Begun | Promise<Begun> {
    if (signal.aborted) throw ended();
    if (this.#waiting.length === 0 && this.#mayBegin(tokens)) return this.#start(tokens);
    const leastMs = this.#windowWaitMs(this.#waiting[0]?.tokens ?? tokens);
    if (leastMs > this.#limits.maxWaitMs) throw this.#tooLong(leastMs);
    return new Promise((resolve, reject) => {
      const leave = (error: Error): void => {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
        done();
        reject(error);
        // It may have been the one that held up the others.
        this.#admit();
      };
      const stop = (): void => leave(ended());
      const timer = Number.isFinite(this.#limits.maxWaitMs)
        ? setTimeout(() => leave(this.#tooLong(this.#windowWaitMs(tokens))), this.#limits.maxWaitMs)
        : undefined;
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", stop);
      };
      const waiter: Waiter = {
        tokens,
        begin: () => {
          done();
          resolve(this.#start(tokens));
        },
      };
      signal.addEventListener("abort", stop, { once: true });
      this.#waiting.push(waiter);
      this.#admit();
    });
  }

  #start(tokens: number): Begun {
    const { requestsPerMinute, tokensPerMinute } = this.#limits;
    const entry: Entry = { at: performance.now(), tokens };
    const counts = Number.isFinite(requestsPerMinute) || Number.isFinite(tokensPerMinute);
    if (counts) {
      this.#entries.push(entry);
      this.#tokens += tokens;
    }
    this.#running += 1;
    return {
      end: (used) => {
        this.#running -= 1;
        this.#correct(entry, used);
        this.#admit();
      },
    };
  }

  #correct(entry: Entry, used: number | undefined): void {
    this.#forgetOld();
    if (used === undefined || !this.#entries.includes(entry)) return;
    this.#tokens += used - entry.tokens;
    entry.tokens = used;
  }

  #admit(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (let head = this.#waiting[0]; head !== undefined; head = this.#waiting[0]) {
      if (!this.#mayBegin(head.tokens)) break;
      this.#waiting.shift();
      head.begin();
    }
    const [head] = this.#waiting;
    // Where it is the number of running requests that holds it up, the end of one is what to wait for.
    const waitMs = head === undefined ? 0 : this.#windowWaitMs(head.tokens);
    if (waitMs > 0) this.#timer = setTimeout(() => this.#admit(), Math.ceil(waitMs));
  }

  #mayBegin(tokens: number): boolean {
    return this.#running < this.#limits.concurrency && this.#windowWaitMs(tokens) === 0;
  }

  /** Milliseconds until the last minute has room; 0 when it has. */
  #windowWaitMs(tokens: number): number {
    this.#forgetOld();
    const { requestsPerMinute, tokensPerMinute } = this.#limits;
    let count = this.#entries.length;
    let sum = this.#tokens;
    let waitMs = 0;
    for (const entry of this.#entries) {
      if (count < requestsPerMinute && sum + tokens <= tokensPerMinute) return waitMs;
      count -= 1;
      sum -= entry.tokens;
      waitMs = Math.max(entry.at + windowMs - performance.now(), Number.EPSILON);
    }
    // With nothing left, one may begin that is larger than the limit by itself: it would wait for ever otherwise.
    return waitMs;
  }

  #forgetOld(): void {
    const oldest = performance.now() - windowMs;
    while (this.#entries[0] !== undefined && this.#entries[0].at <= oldest) this.#tokens -= (this.#entries.shift() as Entry).tokens;
  }

  #tooLong(retryAfterMs: number): ToolwrightError {
    const { maxWaitMs } = this.#limits;
    return new ToolwrightError("MODEL_RATE_LIMIT", `rateLimit(): a request to ${this.#model} would wait for more than ${maxWaitMs} ms.`, {
      // A repeat would wait all the same, and longer than it may.
      retryable: false,
      fix: "Raise `maxWaitMs` or the limits, or ask another model with `fallback()`.",
      details: { model: this.#model, maxWaitMs, retryAfterMs: Math.ceil(retryAfterMs) },
    });
  }
}
