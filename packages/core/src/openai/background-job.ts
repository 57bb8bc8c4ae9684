import type { ModelRequest } from "../contracts/model.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import type { Background } from "./background-options.js";
import type { LookingClient } from "./client.js";
import { cancelResponse } from "./stored-response.js";

/** An aborted run waits no longer; what it has started is waited for so long, to be told to stop. */
const graceMs = 10_000;

// A request that is repeated goes on with the response that it has started: a second one would be made, and paid, beside it.
const startedBy = new WeakMap<ModelRequest, string>();

/** One response in the background: its id as soon as it is known, and its end when the run is aborted. */
export class BackgroundJob {
  #id: string | undefined;
  readonly #client: LookingClient;
  readonly #request: ModelRequest;
  readonly #background: Background;
  readonly #runSignal: AbortSignal;
  readonly #controller = new AbortController();

  constructor(client: LookingClient, request: ModelRequest, background: Background, runSignal: AbortSignal) {
    this.#client = client;
    this.#request = request;
    this.#background = background;
    this.#runSignal = runSignal;
    this.#id = background.takeAttached() ?? startedBy.get(request);
    runSignal.addEventListener("abort", this.#abort, { once: true });
    if (runSignal.aborted) this.#abort();
  }

  /** Undefined until the server has said it. */
  get id(): string | undefined {
    return this.#id;
  }

  /** For requests about the response. It outlasts the run's own while there is something to call off. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /**
   * Takes the id of the response that was started.
   *
   * @throws ToolwrightError `RUN_FAILED` when the application could not keep it; the response is then cancelled.
   */
  async started(id: string): Promise<void> {
    // Some gateways give one response several ids: the first one is what it is asked for by.
    if (this.#id !== undefined) return;
    this.#id = id;
    startedBy.set(this.#request, id);
    if (this.#runSignal.aborted) return this.#stop();
    try {
      await this.#background.onStarted({ responseId: id });
    } catch (error) {
      this.#stop();
      throw new ToolwrightError("RUN_FAILED", `\`background.onStarted\` threw, so the response ${id} was cancelled.`, {
        cause: error,
        details: { responseId: id },
      });
    }
  }

  /** The response is at its end: a repeated request starts another one. */
  over(): void {
    startedBy.delete(this.#request);
  }

  dispose(): void {
    this.#runSignal.removeEventListener("abort", this.#abort);
  }

  readonly #abort = (): void => {
    if (this.#background.onAbort === "leave") return this.#controller.abort(this.#runSignal.reason);
    if (this.#id !== undefined) return this.#stop();
    // It may have been started: its id is waited for, though nobody waits for it any more.
    setTimeout(() => this.#controller.abort(this.#runSignal.reason), graceMs).unref();
  };

  #stop(): void {
    this.over();
    if (this.#id !== undefined) void cancelResponse(this.#client, this.#id);
    this.#controller.abort(this.#runSignal.reason);
  }
}
