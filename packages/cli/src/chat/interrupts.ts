/** What Ctrl-C means at the moment: it ends the turn, and once more it ends the chat. */
export class Interrupts implements Disposable {
  #turn: AbortController | undefined;
  #pressed = false;
  #left = false;
  readonly #once: boolean;
  readonly #onSignal: () => void;

  /**
   * @param once - the first one ends the chat too, when its turn has ended: nobody is there to go on.
   * @param leave - called when the chat is to end at once.
   */
  constructor(once: boolean, leave: () => void) {
    this.#once = once;
    this.#onSignal = () => {
      if (this.press()) leave();
    };
    process.on("SIGINT", this.#onSignal);
  }

  /** Whether the chat is to end. */
  get left(): boolean {
    return this.#left;
  }

  /**
   * @param mayLeave - false while it only takes back what is being written.
   * @returns whether the chat is to end at once.
   */
  press(mayLeave = true): boolean {
    const isSecond = this.#pressed;
    const turn = this.#turn;
    this.#pressed = true;
    turn?.abort(new Error("Ctrl-C"));
    const now = mayLeave && (isSecond || (this.#once && turn === undefined));
    this.#left ||= now || this.#once;
    return now;
  }

  /** The person went on. */
  reset(): void {
    this.#pressed = false;
  }

  startTurn(): AbortSignal {
    this.#turn = new AbortController();
    return this.#turn.signal;
  }

  endTurn(): void {
    this.#turn = undefined;
  }

  [Symbol.dispose](): void {
    process.off("SIGINT", this.#onSignal);
  }
}
