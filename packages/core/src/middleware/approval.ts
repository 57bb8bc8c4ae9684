import type { Middleware, RunInfo, ToolCall } from "../contracts/middleware.js";
import type { ToolEffect } from "../contracts/tool.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { aFunction, checkOptions, quote, textList } from "./options.js";

/** Options of {@link approval}. */
export interface ApprovalOptions {
  /** Effects whose calls wait for a person. Default `["destructive"]`, unless `tools` or `when` says which calls do. */
  readonly effects?: readonly ToolEffect[] | undefined;
  /** Names of tools whose calls wait, whatever their effect. */
  readonly tools?: readonly string[] | undefined;
  /**
   * Looks at a call and says whether it waits: of all calls, or of those that `effects` and `tools` name. It gets the
   * arguments as they will run. What it throws fails the run, and the call does not run.
   */
  readonly when?: ((call: ToolCall, run: RunInfo) => boolean | Promise<boolean>) | undefined;
}

/**
 * Lets a person decide about calls before they run: the run pauses with `stopReason: "interrupted"`, and `agent.resume`
 * goes on with the decisions. Calls of the same step that need no approval have run by then, and are not run again.
 *
 * Place it inside of whatever may change arguments: a person approves what will run.
 *
 * @example approval({ when: (call) => call.name === "refund" && Number(call.arguments["amount"]) > 100 })
 * @throws ToolwrightError `RUN_OPTIONS` for a wrong option.
 */
export function approval(options: ApprovalOptions = {}): Middleware {
  checkOptions("approval", options, { effects: someEffects, tools: textList, when: aFunction });
  const { tools = [], when } = options;
  const effects = options.effects ?? (options.tools === undefined && when === undefined ? (["destructive"] as const) : []);
  const all = options.effects === undefined && options.tools === undefined && when !== undefined;
  const looksAt = (call: ToolCall): boolean =>
    call.tool !== undefined && (all || effects.includes(call.tool.effect) || tools.includes(call.name));
  return {
    name: "approval",
    kind: "approval",
    traits: ["asks-approval"],
    options: { effects: [...effects], tools: [...tools], when: when !== undefined },
    async wrapToolCall(call, next, { run }) {
      if (call.issues !== undefined || !looksAt(call)) return next(call);
      const waits: unknown = when === undefined ? true : await when(call, run);
      if (typeof waits !== "boolean") {
        throw new ToolwrightError(
          "RUN_MIDDLEWARE",
          `approval({ when }) must give true or false; for ${quote(call.name)} it gave ${quote(waits)}.`,
        );
      }
      return next(waits ? { ...call, approval: true } : call);
    },
  };
}

const known: readonly string[] = ["read", "write", "destructive"] satisfies ToolEffect[];

const someEffects = (value: unknown): string | undefined =>
  Array.isArray(value) && value.every((entry) => known.includes(entry as string)) ? undefined : `a list of ${known.join(", ")}`;
