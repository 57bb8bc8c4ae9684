import type { Middleware } from "../contracts/middleware.js";
import { callsIn } from "../run/history-calls.js";
import { replyText } from "../run/history-items.js";
import { refusal, withAnswer } from "./guard-reply.js";
import {
  abortedInGuard,
  blockedError,
  type GuardContext,
  guardOf,
  type GuardOptions,
  type GuardVerdict,
  wrongVerdict,
} from "./guard-verdict.js";
import { aFunction, checkOption, oneOf } from "./options.js";
import { replyItems } from "./reply-items.js";

/** Options of {@link outputGuard}. */
export interface OutputGuardOptions extends GuardOptions {
  /** Looks at the text of an answer: of a reply without calls, which ends the run. */
  readonly check: (text: string, context: GuardContext) => GuardVerdict<string> | Promise<GuardVerdict<string>>;
  /**
   * - `"throw"` (default): the run rejects with `RUN_BLOCKED`. The answer is not in `error.result`.
   * - `"refuse"`: the run resolves with `stopReason: "refused"`; its history holds the refusal in place of the reply.
   */
  readonly onBlock?: "throw" | "refuse" | undefined;
}

/**
 * Looks at the final answer before it becomes history: lets it pass, changes it, warns, or blocks it. Text that the model
 * writes beside calls is not an answer, and is not looked at.
 *
 * The consumer of a stream has seen the text by then. It is told with `step-restart` that this text is void; what counts is
 * the result.
 *
 * @throws ToolwrightError `RUN_OPTIONS` for a wrong option; during a run, `RUN_BLOCKED` with `details: { guard, reason }`.
 */
export function outputGuard(options: OutputGuardOptions): Middleware {
  const guard = guardOf("outputGuard", options, { check: aFunction, onBlock: oneOf("throw", "refuse") });
  checkOption("outputGuard", "check", options.check, aFunction);
  const { check, onBlock = "throw" } = options;
  const { name, ask } = guard;
  return {
    name,
    kind: "outputGuard",
    // It judges what the user will read, not the placeholders.
    order: { outside: ["redact"] },
    options: { ...guard.options, onBlock },
    async wrapModelCall(call, next, { run, signal }) {
      const response = await next(call);
      const output = replyItems(response);
      if (callsIn(output).length > 0) return response;
      const { text } = replyText(output);
      if (text === "") return response;
      const judgement = await ask({ run, signal }, (context) => check(text, context));
      if (judgement.kind === "pass") return response;
      if (judgement.kind === "aborted") throw abortedInGuard(name, signal);
      if (run.outputSeen) run.restartStep();
      if (judgement.kind === "rewrite") {
        if (typeof judgement.value !== "string") throw wrongVerdict(name, "rewrote the answer to what is no text");
        return { ...response, output: withAnswer(output, judgement.value) };
      }
      if (onBlock === "throw") throw blockedError(name, "answer", judgement);
      return { ...response, output: [refusal(judgement.reason)] };
    },
  };
}
