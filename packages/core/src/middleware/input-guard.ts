import type { InputItem, Item } from "../contracts/item.js";
import type { Middleware } from "../contracts/middleware.js";
import { inputItems } from "../run/history-items.js";
import {
  abortedInGuard,
  blockedError,
  type GuardContext,
  guardOf,
  type GuardOptions,
  type GuardVerdict,
  wrongVerdict,
} from "./guard-verdict.js";
import { refusalReply } from "./guard-reply.js";
import { aFunction, checkOption, oneOf } from "./options.js";

/** What an input guard may look at. */
export interface InputGuardContext extends GuardContext {
  /** The new input whole, images and files too. */
  readonly items: readonly InputItem[];
}

/** Options of {@link inputGuard}. */
export interface InputGuardOptions extends GuardOptions {
  /**
   * Looks at new input before any request is made. `text` is all its text, a line break between parts. A `rewrite` takes the
   * place of the whole input: a text becomes one user message, so give items where there are images to keep.
   */
  readonly check: (
    text: string,
    context: InputGuardContext,
  ) => GuardVerdict<string | readonly InputItem[]> | Promise<GuardVerdict<string | readonly InputItem[]>>;
  /**
   * - `"throw"` (default): the run rejects with `RUN_BLOCKED`.
   * - `"refuse"`: the run resolves with `stopReason: "refused"`, without a request. What was blocked is not in its history.
   */
  readonly onBlock?: "throw" | "refuse" | undefined;
}

/**
 * Looks at the input of a run before the model does: lets it pass, changes it, warns, or blocks it. A paused run that goes on
 * has no new input, so its guard is not asked again.
 *
 * `"refuse"` needs history that the application keeps; with a chain or a conversation it is `RUN_BLOCKED` all the same.
 *
 * @throws ToolwrightError `RUN_OPTIONS` for a wrong option; during a run, `RUN_BLOCKED` with `details: { guard, reason }`.
 */
export function inputGuard(options: InputGuardOptions): Middleware {
  const guard = guardOf("inputGuard", options, { check: aFunction, onBlock: oneOf("throw", "refuse") });
  checkOption("inputGuard", "check", options.check, aFunction);
  const { check, onBlock = "throw" } = options;
  const { name, ask } = guard;
  const refuses = onBlock === "refuse";
  const answer: Middleware<GuardState>["wrapModelCall"] = async (call, next, { state: { refusal } }) => {
    if (refusal === null) return next(call);
    // The server would not have the refusal in its history.
    if (call.request.state.kind !== "local") throw blockedError(name, "input", { reason: refusal });
    return refusalReply(refusal);
  };
  return {
    name,
    kind: "inputGuard",
    ...(refuses && { traits: ["answers-model"] as const, wrapModelCall: answer }),
    options: { ...guard.options, onBlock },
    state: () => ({ refusal: null }),
    async wrapRun(call, next, { state, run, signal }) {
      state.refusal = null;
      if (call.input.length === 0) return next(call);
      const items = call.input;
      const judgement = await ask({ run, signal }, (context) => check(textOf(items), { ...context, items }));
      switch (judgement.kind) {
        case "pass":
          return next(call);
        case "rewrite":
          return next({ ...call, input: newInput(name, judgement.value) });
        case "aborted":
          throw abortedInGuard(name, signal);
        case "block":
          if (!refuses) throw blockedError(name, "input", judgement);
          state.refusal = judgement.reason;
          // What was blocked must not come to the model with the next run's history either.
          return next({ ...call, input: inputItems(`[The guard "${name}" withheld this input.]`) });
      }
    },
  } satisfies Middleware<GuardState>;
}

/** Why this run's input was refused. */
type GuardState = { readonly refusal: string | null };

function newInput(guard: string, value: string | readonly InputItem[]): readonly Item[] {
  if (typeof value !== "string" && !(Array.isArray(value) && value.length > 0))
    throw wrongVerdict(guard, "rewrote the input to what is no input");
  return inputItems(value);
}

function textOf(items: readonly InputItem[]): string {
  return items.flatMap(textsOf).join("\n");
}

/** All texts that stand in an item for the model to read. */
function textsOf(item: InputItem): readonly string[] {
  const { content, output } = item as { readonly content?: unknown; readonly output?: unknown };
  return [content, output].flatMap((value) => {
    if (typeof value === "string") return [value];
    if (!Array.isArray(value)) return [];
    return (value as readonly ({ readonly text?: unknown } | null)[]).flatMap((part) =>
      typeof part?.text === "string" ? [part.text] : [],
    );
  });
}
