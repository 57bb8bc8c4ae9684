import type { Middleware } from "../contracts/middleware.js";
import { cutOutput, narrowerCall } from "../run/history-cut.js";
import { outcomeOutput } from "../run/history-outcome.js";
import { checkOption, checkOptions, type OptionCheck, positiveInteger } from "./options.js";

/** Options of {@link trimOutputs}. */
export interface TrimOutputsOptions {
  /** Characters of an output that the model reads. Default 20,000. */
  readonly maxChars?: number | undefined;
  /** Other limits, by the tool's name. */
  readonly tools?: { readonly [name: string]: number } | undefined;
  /** How the model may get the rest. Default: to call the tool again for a smaller part. */
  readonly hint?: string | undefined;
}

/**
 * Cuts long outputs, so that one of them does not fill the context of every later step. The cut never goes through a
 * character, and a line at its end tells both sizes and how to get the rest. Put it outside of what reads whole outputs.
 *
 * @throws ToolwrightError `RUN_OPTIONS` for a wrong option.
 */
export function trimOutputs(options: TrimOutputsOptions = {}): Middleware {
  checkOptions("trimOutputs", options, { maxChars: positiveInteger, tools: limits, hint: aText });
  const { maxChars = 20_000, tools = {}, hint = narrowerCall } = options;
  for (const [name, limit] of Object.entries(tools)) checkOption("trimOutputs", `tools.${name}`, limit, positiveInteger);
  return {
    name: "trimOutputs",
    kind: "trimOutputs",
    options: { maxChars, tools: { ...tools } },
    async wrapToolCall(call, next) {
      const outcome = await next(call);
      if (outcome.kind === "interrupted") return outcome;
      // A failure is told in a text too, and a tool may have put megabytes into it.
      const whole = outcomeOutput(outcome);
      const output = cutOutput(whole, Object.hasOwn(tools, call.name) ? (tools[call.name] as number) : maxChars, hint);
      return output === whole ? outcome : { ...outcome, output };
    },
  };
}

const limits: OptionCheck = (value) =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? undefined : "an object of limits by tool name";
const aText: OptionCheck = (value) => (typeof value === "string" && value !== "" ? undefined : "a text");
