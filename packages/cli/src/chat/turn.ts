import { type AgentStream, type Decision, type FailedResult, type Interruption, type RunResult, ToolwrightError } from "@toolwright/core";
import type { Bill } from "./bill.js";
import { type Decide, waitingText } from "./decide.js";
import type { AnyAgent } from "./find-agent.js";
import type { Interrupts } from "./interrupts.js";
import type { RunPrinter } from "./print-run.js";
import type { Screen } from "./screen.js";
import { oneLine, prose } from "./shown.js";
import { nothing, type Spent } from "./spent.js";

type History = RunResult["history"];
type Paused = Extract<RunResult<unknown>, { stopReason: "interrupted" }>;

/** What turns are made with. */
export interface TurnMeans {
  readonly agent: AnyAgent;
  readonly app: unknown;
  readonly screen: Screen;
  readonly printer: RunPrinter;
  readonly decide: Decide;
  /** Whether somebody is there who may decide otherwise after a decision that does not fit. */
  readonly mayDecideAgain: boolean;
  readonly interrupts: Interrupts;
  readonly bill: Bill | undefined;
}

/** What a turn came to. */
export interface TurnEnd {
  /** Whether the agent answered. */
  readonly answered: boolean;
  /** What the next turn starts from; undefined: what this one started from. */
  readonly history: History | undefined;
  /** The run, when calls of it wait. */
  readonly paused: Paused | undefined;
  readonly spent: Spent;
}

/** One turn: the agent is asked, and people about its calls, until it answers or stops. */
export class Turn {
  readonly #means: TurnMeans;
  readonly #signal: AbortSignal;
  /** Calls that were left waiting: they are not asked about again. */
  readonly #left = new Set<string>();
  #last: RunResult<unknown> | FailedResult | undefined;
  #answered = false;

  private constructor(means: TurnMeans) {
    this.#means = means;
    this.#signal = means.interrupts.startTurn();
  }

  /** Asks a question. */
  static ask(means: TurnMeans, question: string, history: History | undefined): Promise<TurnEnd> {
    const { agent, app } = means;
    const turn = new Turn(means);
    const options = { app, signal: turn.#signal, ...(history !== undefined && { history }) };
    return turn.#run(() => turn.#follow(agent.stream(question, options)));
  }

  /** Asks again about the calls that wait. */
  static goOn(means: TurnMeans, paused: Paused): Promise<TurnEnd> {
    const turn = new Turn(means);
    turn.#last = paused;
    return turn.#run(async () => {});
  }

  async #run(begin: () => Promise<void>): Promise<TurnEnd> {
    const { interrupts, bill } = this.#means;
    try {
      await begin();
      while (this.#last?.stopReason === "interrupted" && (await this.#settle(this.#last)));
    } finally {
      interrupts.endTurn();
    }
    const result = this.#last;
    if (result !== undefined) this.#tellEnd(result);
    return {
      answered: this.#answered,
      history: result?.history,
      paused: result?.stopReason === "interrupted" ? result : undefined,
      spent: { usage: result?.usage ?? nothing.usage, ...(bill?.take() ?? { cost: undefined, unpriced: [] }) },
    };
  }

  /** Asks about the calls that wait, and goes on. @returns whether there may be more of them. */
  async #settle(paused: Paused): Promise<boolean> {
    const decisions = await this.#decisions(paused.interruptions);
    if (decisions.length === 0 || this.#signal.aborted) return false;
    const { agent, app, screen, mayDecideAgain } = this.#means;
    try {
      await this.#follow(agent.stream(paused.state, { app, signal: this.#signal, decisions }), true);
      return true;
    } catch (error) {
      // Edited arguments that do not fit: nothing has run, and the state is as it was.
      if (!ToolwrightError.is(error, "RUN_STATE")) throw error;
      for (const line of error.message.split("\n")) screen.note(prose(line), 0, "red");
      return mayDecideAgain;
    }
  }

  async #decisions(interruptions: readonly Interruption[]): Promise<readonly Decision[]> {
    const decisions: Decision[] = [];
    let stopped = false;
    this.#means.screen.endText();
    for (const waiting of interruptions.filter(({ callId }) => !this.#left.has(callId))) {
      const decision: Awaited<ReturnType<Decide>> = stopped ? undefined : await this.#means.decide(waiting);
      stopped ||= decision === "stop";
      if (decision === undefined || decision === "stop") this.#left.add(waiting.callId);
      else decisions.push(decision);
    }
    return decisions;
  }

  /** Shows a run to its end. An error is shown, unless it is about decisions. */
  async #follow(stream: AgentStream<unknown>, decided = false): Promise<void> {
    const { printer } = this.#means;
    try {
      for await (const event of stream) printer.print(event);
      this.#last = await stream.result;
      this.#answered = this.#last.stopReason === "completed";
    } catch (error) {
      if (decided && ToolwrightError.is(error, "RUN_STATE")) throw error;
      this.#tellError(error);
      // Without a result nothing was done: what there was before holds.
      if (ToolwrightError.is(error) && error.result !== undefined) this.#last = error.result;
      else if (this.#last?.stopReason === "interrupted") this.#leaveAll(this.#last);
    }
  }

  #leaveAll({ interruptions }: Paused): void {
    for (const { callId } of interruptions) this.#left.add(callId);
  }

  #tellError(error: unknown): void {
    const { screen } = this.#means;
    if (this.#signal.aborted && ToolwrightError.is(error, "RUN_ABORTED")) return screen.note("Stopped by Ctrl-C.", 0, "yellow");
    const code = ToolwrightError.is(error) ? `${error.code}: ` : "";
    const message = error instanceof Error ? error.message : String(error);
    for (const line of `${code}${message}`.split("\n")) screen.note(prose(line), 0, "red");
  }

  #tellEnd(result: RunResult<unknown> | FailedResult): void {
    const { screen } = this.#means;
    switch (result.stopReason) {
      case "completed":
        break;
      case "refused":
        screen.note(`The model refused: ${oneLine(result.refusal)}`, 0, "yellow");
        break;
      case "budget":
        screen.note(`Stopped by a budget: ${oneLine(result.reason)}`, 0, "yellow");
        break;
      case "interrupted":
        for (const waiting of result.interruptions) screen.note(`‖ ${waitingText(waiting)}`, 0, "yellow");
        break;
      case "error":
        for (const { tool } of result.unknownCalls)
          screen.note(`${oneLine(tool)} had started: it may or may not have happened`, 0, "yellow");
    }
  }
}
