/** Listeners on the signals of runs that code added for which somebody answers, and did not take away. */
export class OwnListeners {
  readonly #left = new Map<AbortSignal, Set<unknown>>();
  readonly #isOwn: () => boolean;

  /** @param isOwn - true while such code runs. */
  constructor(isOwn: () => boolean) {
    this.#isOwn = isOwn;
  }

  /** Looks at what is added to a signal from now on. */
  watch(signal: AbortSignal): void {
    if (this.#left.has(signal)) return;
    const left = new Set<unknown>();
    this.#left.set(signal, left);
    const { addEventListener, removeEventListener } = signal;
    const isOwn = this.#isOwn;
    // On this very signal alone, so that it stays the one that everybody else has.
    Object.defineProperties(signal, {
      addEventListener: {
        configurable: true,
        value(...parameters: Parameters<AbortSignal["addEventListener"]>): void {
          if (isOwn()) left.add(parameters[1]);
          addEventListener.apply(signal, parameters);
        },
      },
      removeEventListener: {
        configurable: true,
        value(...parameters: Parameters<AbortSignal["removeEventListener"]>): void {
          left.delete(parameters[1]);
          removeEventListener.apply(signal, parameters);
        },
      },
    });
  }

  /** How many are left on signals that were not aborted, which would have ended them. */
  get left(): number {
    return [...this.#left].reduce((sum, [signal, left]) => sum + (signal.aborted ? 0 : left.size), 0);
  }
}
