import type { HistoryOption } from "../contracts/history.js";
import type { Item } from "../contracts/item.js";
import type { ToolOutcome } from "../contracts/outcome.js";
import type { ModelRequest } from "../contracts/model.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { assertReplayable } from "./history-check.js";
import { answeredCall, answerTo, callOf, callsIn, callTypeIn, withCaller } from "./history-calls.js";

const noCalls: ReadonlySet<string> = new Set();

/**
 * The history of one run, append-only. New items wait in `pending` until a reply to them has come: a request that fails
 * leaves the kept history as it was.
 */
export class History {
  readonly kind: HistoryOption["kind"];
  /** Everything new in this run that is part of the history: input, replies, outputs. */
  readonly added: Item[];
  #kept: Item[];
  #pending: Item[] = [];
  #inputCount = 0;
  #previousResponseId: string | undefined;
  readonly #conversation: string | undefined;
  /** Calls of the last reply that have no output yet. */
  #openCalls: readonly string[];
  /** Those among them that are of agents that had acted before they paused. */
  #begunCalls: readonly string[];
  #reopened: ReadonlySet<string> = noCalls;
  /** All calls of the last reply, in the model's order, and the types of those that are no function calls. */
  #callOrder: readonly string[];
  #callTypes: { readonly [callId: string]: string };

  /** @param added - what the run had added before it was paused. */
  constructor(option: HistoryOption, added: readonly Item[] = []) {
    this.added = [...added];
    this.kind = option.kind;
    this.#openCalls = option.openCalls ?? [];
    this.#begunCalls = option.begunCalls ?? [];
    this.#callOrder = option.callOrder ?? [];
    this.#callTypes = option.callTypes ?? {};
    this.#kept = [];
    if (option.kind === "local") {
      const supplied = option.items ?? [];
      assertReplayable(supplied, this.#openCalls);
      this.#kept = supplied.slice();
    } else {
      this.#pending = (option.outputs ?? []).slice();
      this.#previousResponseId = option.kind === "chained" ? option.previousResponseId : undefined;
      this.#conversation = option.kind === "conversation" ? option.id : undefined;
    }
  }

  /** Calls that the supplied history leaves open. */
  get openCalls(): readonly string[] {
    return this.#openCalls;
  }

  setOpenCalls(callIds: readonly string[], begun: readonly string[]): void {
    this.#openCalls = callIds;
    this.#begunCalls = begun;
  }

  /** Sets the run's new input. It becomes part of the history with the first reply; input that has had none is replaced. */
  addInput(items: readonly Item[]): void {
    this.#pending.splice(this.#pending.length - this.#inputCount, this.#inputCount, ...items);
    this.#inputCount = items.length;
  }

  /** Adds outputs of calls. They are part of the history at once: the calls are, and must not stay unanswered. */
  addOutputs(items: readonly Item[]): void {
    const known = new Set<string | undefined>([...this.#takeBack(this.#kept), ...this.#takeBack(this.#pending)]);
    // What this run added before is added again, what one before it added is not.
    for (const callId of this.#takeBack(this.added)) known.delete(callId);
    this.#reopened = noCalls;
    this.added.push(...items.filter((item) => !known.has(answeredCall(item))));
    if (this.kind === "local") this.#kept.push(...items);
    else this.#pending.push(...items);
  }

  #takeBack(list: Item[]): readonly (string | undefined)[] {
    const from = list.findLastIndex((item) => !this.#reopened.has(answeredCall(item) ?? "")) + 1;
    return list.splice(from).map(answeredCall);
  }

  /** Answers the calls that are open; gives all outputs of their step, in the model's order. */
  answerOpenCalls(waited: ToolOutcome, begun: ToolOutcome): readonly Item[] {
    const local = this.kind === "local";
    const list = local ? this.#kept : this.#pending;
    const last = list.slice(list.findLastIndex((item) => answeredCall(item) === undefined) + 1);
    const given = local ? last : last.filter((item) => this.#callOrder.includes(answeredCall(item) as string));
    const place = (item: Item): number => {
      const callId = answeredCall(item) as string;
      return local ? this.#kept.findLastIndex((each) => callOf(each)?.call_id === callId) : this.#callOrder.indexOf(callId);
    };
    const typeOf = (callId: string): string | undefined => (local ? callTypeIn(this.#kept, callId) : this.#callTypes[callId]);
    const outcomeOf = (callId: string): ToolOutcome => (this.#begunCalls.includes(callId) ? begun : waited);
    const answers = this.#openCalls.map((callId) => withCaller(this.#kept, answerTo(typeOf(callId), callId, outcomeOf(callId))));
    const all = [...given, ...answers].sort((left, right) => place(left) - place(right));
    this.reopen(new Set(given.map((item) => answeredCall(item) as string)));
    this.addOutputs(all);
    this.setOpenCalls([], []);
    return all;
  }

  /** Takes back the outputs of a paused step, so that all its outputs can be added in the model's order. */
  reopen(callIds: ReadonlySet<string>): void {
    // Not before they come: a run that ends earlier leaves the pause as it was.
    this.#reopened = callIds;
  }

  /** True when there is something to go on from without new input. */
  get goesOn(): boolean {
    return this.#kept.length > 0 || this.#pending.length > 0 || this.#previousResponseId !== undefined || this.#conversation !== undefined;
  }

  /** What the next request carries as `input`. */
  requestInput(): readonly Item[] {
    return Object.freeze(this.kind === "local" ? [...this.#kept, ...this.#pending] : this.#pending.slice());
  }

  requestState(): ModelRequest["state"] {
    if (this.kind === "local") return { kind: "local" };
    if (this.kind === "chained") return { kind: "chained", previousResponseId: this.#previousResponseId };
    return { kind: "conversation", id: this.#conversation as string };
  }

  /** Items that were sent for the first time with the request just answered. */
  pendingInput(): readonly Item[] {
    return this.#inputCount === 0 ? [] : this.#pending.slice(-this.#inputCount);
  }

  /** Takes a completed reply: what was pending is now part of the history, and so is the reply. */
  acceptReply(output: readonly Item[], responseId: string | undefined): void {
    const input = this.pendingInput();
    this.added.push(...input, ...output);
    if (this.kind === "local") {
      this.#kept.push(...this.#pending, ...output);
    } else if (this.kind === "chained") {
      if (responseId === undefined) {
        throw new ToolwrightError("MODEL_PROTOCOL", "The response has no id, so nothing can be chained to it.", {
          fix: 'Use `history: { kind: "local" }` with this server.',
        });
      }
      this.#previousResponseId = responseId;
    }
    this.#pending = [];
    this.#inputCount = 0;
    // Until their outputs come, also when the run breaks before that.
    const others = output.filter((item) => item.type !== "function_call" && callOf(item) !== undefined);
    this.#callTypes = Object.fromEntries(others.map((item) => [callOf(item)?.call_id as string, item.type]));
    this.#callOrder = callsIn(output).map((call) => call.call_id);
    this.setOpenCalls(this.#callOrder, []);
  }

  /** What the next run starts from. */
  snapshot(): HistoryOption {
    const begun = this.#begunCalls.length > 0 && { begunCalls: this.#begunCalls };
    const open = this.#openCalls.length > 0 ? { openCalls: this.#openCalls, ...begun } : {};
    if (this.kind === "local") return { kind: "local", items: this.#kept.slice(), ...open };
    const unposted = this.#pending.slice(0, this.#pending.length - this.#inputCount);
    const outputs = { ...(unposted.length > 0 && { outputs: unposted }), ...this.#openStep() };
    if (this.kind === "chained") {
      const previous = this.#previousResponseId === undefined ? {} : { previousResponseId: this.#previousResponseId };
      return { kind: "chained", ...previous, ...outputs, ...open };
    }
    return { kind: "conversation", id: this.#conversation as string, ...outputs, ...open };
  }

  // What of the open calls a server's own history does not tell this side.
  #openStep(): object {
    if (this.#openCalls.length === 0) return {};
    return { callOrder: this.#callOrder, ...(Object.keys(this.#callTypes).length > 0 && { callTypes: this.#callTypes }) };
  }
}
