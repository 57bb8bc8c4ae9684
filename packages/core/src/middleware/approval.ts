import type { Middleware, RunInfo, ToolCall } from "../contracts/middleware.js";
import type { ToolEffect } from "../contracts/tool.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { aFunction, checkOptions, quote, textList } from "./options.js";

/** Options of {@link approval}. */
export interface ApprovalOptions {
  /** Effects whose calls wait for a person. Default `["destructive"]`, unless `tools` or `when` says which calls do. */
  readonly effects?: readonly ToolEffect[] | undefined;
  /** Names of tools whose calls wait, whatever their effect. One that no tool has ends the run before its first call. */
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
 * @throws ToolwrightError `RUN_OPTIONS` for a wrong option; during a run, for a name that no tool has.
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
    state: () => ({ checked: false }),
    async wrapToolCall(call, next, { run, state }) {
      // At the first call of a run, which no other agent can have made.
      if (!state.checked) assertThere(tools, run.tools);
      state.checked = true;
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

// A name that is misspelt would never be asked about. Another agent may have it, and so may a hosted server ("files.delete").
function assertThere(names: readonly string[], tools: RunInfo["tools"]): void {
  if (tools.some(({ identity }) => identity.endsWith(".handoff"))) return;
  const there = tools.map(({ name }) => name);
  const missing = names.find((name) => !there.includes(name) && !name.includes("."));
  if (missing === undefined) return;
  throw new ToolwrightError(
    "RUN_OPTIONS",
    `approval({ tools }) names ${quote(missing)}, which is no tool. There are: ${there.join(", ") || "none"}.`,
    { fix: "Correct the name, or look at `call.name` in `when` where several agents share the policy." },
  );
}

const known: readonly string[] = ["read", "write", "destructive"] satisfies ToolEffect[];

const someEffects = (value: unknown): string | undefined =>
  Array.isArray(value) && value.every((entry) => known.includes(entry as string)) ? undefined : `a list of ${known.join(", ")}`;
