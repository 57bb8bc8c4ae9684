import {
  Agent,
  type Decision,
  type FailedResult,
  type HistoryOption,
  type Middleware,
  type ResumeOptions,
  type RunEvent,
  type RunOptions,
  type RunResult,
  type RunState,
  ToolwrightError,
} from "@toolwright/core";
import type { Script } from "../script.js";
import { type ResponsesServer, startResponsesServer } from "../server.js";
import { contractTools, type Execution } from "./contract-tools.js";
import { httpClient } from "./http-client.js";
import { hangMs, within } from "./time-bounds.js";

/** How a run is made: each way must come to the same. */
export interface Mode {
  readonly way: "run" | "stream";
  readonly history: "local" | "chained";
}

/** A mode in words. */
export const modeName = ({ way, history }: Mode): string => `${way}(), ${history} history`;

/** What a run, or a part of one, came to. */
export interface End {
  /** `result.stopReason`, the code of the error, or `"hangs"`. */
  readonly ends: string;
  readonly result: RunResult | FailedResult | undefined;
  readonly error: ToolwrightError | undefined;
}

/** How a stage is set. */
export interface StageOptions {
  readonly script: Script;
  readonly mode: Mode;
  readonly maxSteps?: number | undefined;
}

/** An agent with a pipeline, its tools, and the server that it talks to. */
export class Stage {
  readonly agent: Agent;
  readonly executions: Execution[] = [];
  /** Events of each run, or part of one, in the order in which they began. */
  readonly parts: RunEvent[][] = [];
  /** What the kernel had to say about middlewares. */
  readonly complaints: string[] = [];
  readonly server: ResponsesServer;
  readonly #mode: Mode;
  readonly #controller = new AbortController();

  private constructor(server: ResponsesServer, { mode, maxSteps }: StageOptions, middleware: readonly Middleware[]) {
    this.server = server;
    this.#mode = mode;
    this.agent = new Agent({
      model: "test",
      client: httpClient(server.url),
      instructions: "Do as the user says.",
      tools: contractTools((execution) => this.executions.push(execution)),
      middleware: [this.#observer(), ...middleware],
      history: mode.history === "local" ? { kind: "local" } : { kind: "chained" },
      maxSteps,
      log: { debug() {}, info() {}, warn() {}, error: (fields, message) => this.#complain(fields, message) },
    });
  }

  /** @throws what the agent throws for a pipeline that it does not take. */
  static async open(options: StageOptions, middleware: readonly Middleware[]): Promise<Stage> {
    const server = await startResponsesServer(options.script, { verifyEncryptedContent: false });
    try {
      return new Stage(server, options, middleware);
    } catch (error) {
      await server.close();
      throw error;
    }
  }

  /** Aborts what runs. */
  abort(reason: unknown): void {
    this.#controller.abort(reason);
  }

  start(input: string): Promise<End> {
    const options: RunOptions<unknown> = { signal: this.#controller.signal };
    return this.#end(this.#mode.way === "run" ? this.agent.run(input, options) : streamed(this.agent.stream(input, options)));
  }

  resume(state: RunState, decisions: readonly Decision[]): Promise<End> {
    const options: ResumeOptions<unknown> = { signal: this.#controller.signal, decisions };
    return this.#end(this.#mode.way === "run" ? this.agent.resume(state, options) : streamed(this.agent.stream(state, options)));
  }

  /** Starts a run that goes on from what another left, without any middleware; gives what is wrong with that history. */
  async goOn(result: RunResult | FailedResult): Promise<string | undefined> {
    const plain = new Agent({ model: "test", client: httpClient(this.server.url), tools: contractTools(() => {}) });
    const history = JSON.parse(JSON.stringify(result.history)) as HistoryOption; // what was written is what is read
    const { error, ends } = await this.#end(plain.run("Go on.", { history }));
    return error?.message ?? (ends === "completed" ? undefined : `the next run ended with "${ends}"`);
  }

  close(): Promise<void> {
    return this.server.close();
  }

  async #end(run: Promise<RunResult>): Promise<End> {
    try {
      const result = await within(hangMs, run);
      // It must not hold up whoever comes next.
      if (result === "hangs") this.abort(new Error("It hangs."));
      return result === "hangs"
        ? { ends: "hangs", result: undefined, error: undefined }
        : { ends: result.stopReason, result, error: undefined };
    } catch (error) {
      if (!ToolwrightError.is(error)) throw error;
      return { ends: error.code, result: error.result, error };
    }
  }

  #observer(): Middleware {
    return {
      name: "contract observer",
      onEvent: (event) => {
        let own = this.parts.find((part) => part[0]?.runId === event.runId && part.at(-1)?.type !== "run-end");
        if (own === undefined) this.parts.push((own = []));
        own.push(event);
      },
    };
  }

  #complain(fields: object, message: string | undefined): void {
    const { middleware, err } = fields as { readonly middleware?: string; readonly err?: unknown };
    if (middleware !== undefined) this.complaints.push(`${message ?? "complaint"} of "${middleware}": ${String(err)}`);
  }
}

async function streamed(stream: ReturnType<Agent["stream"]>): Promise<RunResult> {
  for await (const _ of stream);
  return stream.result;
}
