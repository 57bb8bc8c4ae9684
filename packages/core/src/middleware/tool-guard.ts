import type { JsonObject } from "../contracts/json.js";
import type { Middleware, ToolCall } from "../contracts/middleware.js";
import type { ToolOutcome, ToolOutput } from "../contracts/outcome.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { type GuardContext, guardOf, type GuardOptions, type GuardVerdict, wrongVerdict } from "./guard-verdict.js";
import { aFunction, boolean } from "./options.js";
import { replyItems } from "./reply-items.js";
import { noteHistory, noteHosted, noteOutput, nothingSeen, seenAt, type SeenOutput, type SeenState } from "./seen-outputs.js";
import { isHandoff } from "./tool-kinds.js";

/** What a tool guard may look at. */
export interface ToolGuardContext extends GuardContext {
  /** Whose output the model could have read when it wrote this call: of earlier steps, and of the history before this run. */
  readonly seen: readonly SeenOutput[];
}

/** What a tool guard says of a call. A `rewrite` gives other arguments, which are checked again. */
export type ToolVerdict =
  | GuardVerdict<JsonObject>
  /** It waits for a person, unless one has decided already. For guards with `mayAsk` alone. */
  | { readonly ask: true };

/** A tool guard's look at a call. */
export type ToolCheck = (call: ToolCall, context: ToolGuardContext) => ToolVerdict | Promise<ToolVerdict>;

/** Options of {@link toolGuard}: one of `check` and `checkOutcome`, or both. */
export interface ToolGuardOptions extends GuardOptions {
  /** Looks at each valid call before it runs. A blocked one comes to `denied`, and the model reads why. */
  readonly check?: ToolCheck | undefined;
  /**
   * Whether `check` may say `{ ask: true }`. Such a guard cannot rewrite, and stands inside of whatever does, since a person
   * decides about what will run. Default false.
   */
  readonly mayAsk?: boolean | undefined;
  /**
   * Looks at what a tool gave, an output or a failure, before the model reads it. The tool has run by then, so that the
   * outcome keeps its kind: a `rewrite` is another output, and `block` puts a sentence with the reason in its place.
   */
  readonly checkOutcome?:
    | ((outcome: ToolOutcome, call: ToolCall, context: ToolGuardContext) => GuardVerdict<ToolOutput> | Promise<GuardVerdict<ToolOutput>>)
    | undefined;
}

/**
 * Looks at calls of tools before they run, at their outcomes, or at both: lets them pass, changes them, warns, or blocks them.
 * Calls that are invalid run nothing and are not looked at, nor are calls that wait for a person.
 *
 * @throws ToolwrightError `RUN_OPTIONS` for a wrong option.
 */
export function toolGuard(options: ToolGuardOptions): Middleware {
  const guard = guardOf("toolGuard", options, { check: aFunction, mayAsk: boolean, checkOutcome: aFunction });
  const { check, mayAsk = false, checkOutcome } = options;
  const { name, ask } = guard;
  if (check === undefined && checkOutcome === undefined) {
    throw new ToolwrightError("RUN_OPTIONS", "toolGuard() has neither `check` nor `checkOutcome`, so it would guard nothing.", {
      fix: "Pass one of them.",
    });
  }
  return {
    name,
    kind: "toolGuard",
    ...(check !== undefined && { traits: [mayAsk ? "asks-approval" : "changes-arguments", "answers-tool"] as const }),
    options: { ...guard.options, check: check !== undefined, mayAsk, checkOutcome: checkOutcome !== undefined },
    // A summary in the place of the history would hide whose outputs were read.
    order: { outside: ["compact"] },
    state: nothingSeen,

    async wrapModelCall(call, next, { state }) {
      noteHistory(state, call.request);
      const response = await next(call);
      for (const item of replyItems(response)) noteHosted(state, item, call.step);
      return response;
    },

    async wrapToolCall(call, next, { state, run, signal }) {
      if (call.issues !== undefined || call.tool === undefined) return next(call);
      const place = { run, signal, tool: call.name, callId: call.callId };
      const seen = seenAt(state, call.step);
      let passedOn = call;
      if (check !== undefined) {
        const judgement = await ask<JsonObject | typeof askPerson>(place, async (context) =>
          plain(await check(call, { ...context, seen })),
        );
        if (judgement.kind === "aborted") return { kind: "skipped", reason: "the run was aborted before it started." };
        if (judgement.kind === "block") return { kind: "denied", reason: judgement.reason };
        if (judgement.kind === "rewrite") passedOn = changed(name, call, judgement.value, mayAsk);
      }
      const outcome = await next(passedOn);
      if (!isOfTool(outcome)) return outcome;
      // What a handoff gives is the kernel's own word.
      if (call.tool === undefined || !isHandoff(call.tool)) noteOutput(state, call.name, call.step + 1);
      if (checkOutcome === undefined) return outcome;
      const judgement = await ask(place, (context) => checkOutcome(outcome, passedOn, { ...context, seen }));
      switch (judgement.kind) {
        case "pass":
          return outcome;
        case "rewrite":
          return { ...outcome, output: newOutput(name, judgement.value) };
        case "block":
          return { ...outcome, output: withheld(`: ${judgement.reason}`) };
        case "aborted":
          return { ...outcome, output: withheld(", since the run was aborted before it was checked.") };
      }
    },
  } satisfies Middleware<SeenState>;
}

/** The outcomes that hold something that a tool said. */
function isOfTool({ kind }: ToolOutcome): boolean {
  return kind === "ok" || kind === "failed" || kind === "unknown";
}

// The tool has run: the model must not think that it has not, and do it again.
const withheld = (why: string): string => `The tool has run. What it said is withheld${why} Do not call it again for that.`;

const askPerson = Symbol("ask a person");

function plain(verdict: ToolVerdict): GuardVerdict<JsonObject | typeof askPerson> {
  return typeof verdict === "object" && verdict !== null && "ask" in verdict && verdict.ask
    ? { rewrite: askPerson }
    : (verdict as GuardVerdict<JsonObject>);
}

function changed(guard: string, call: ToolCall, value: JsonObject | typeof askPerson, mayAsk: boolean): ToolCall {
  if (value === askPerson) {
    if (mayAsk) return { ...call, approval: true };
    throw wrongVerdict(guard, "asks for a person without `mayAsk: true`, which tells where it must stand");
  }
  if (mayAsk) throw wrongVerdict(guard, "rewrote arguments, which a guard with `mayAsk` cannot");
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw wrongVerdict(guard, "rewrote arguments to what is no object");
  return { ...call, arguments: value };
}

function newOutput(guard: string, value: ToolOutput): ToolOutput {
  if (typeof value !== "string" && !Array.isArray(value)) throw wrongVerdict(guard, "rewrote an output to what is no output");
  return value;
}
