import type { Middleware, ToolCall } from "../contracts/middleware.js";
import type { ToolInfo } from "../contracts/tool.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { aFunction, checkOption, checkOptions, either, oneOf, type OptionCheck, quote, textList } from "./options.js";
import type { SeenOutput } from "./seen-outputs.js";
import { toolGuard } from "./tool-guard.js";
import { isHandoff } from "./tool-kinds.js";

/** Options of {@link afterUntrusted}. */
export interface AfterUntrustedOptions {
  /** The tools that can carry something out: that fetch an address, send, post. Names, or a rule over what is known of a tool. */
  readonly tools: readonly string[] | ((tool: ToolInfo) => boolean);
  /** Tools whose outputs nobody from outside can write, so that they may be read before. Default none. */
  readonly trusted?: readonly string[] | undefined;
  /** Which calls are allowed all the same, e.g. to addresses on a list. Default none. */
  readonly allow?: ((call: ToolCall) => boolean) | undefined;
  /** What becomes of the others: `"block"` (default) denies them, `"ask"` has a person asked. */
  readonly onSeen?: "block" | "ask" | undefined;
  /**
   * What history that a server keeps (a chain, a conversation) counts as, since nobody here knows what is in it. Default
   * `"untrusted"`.
   */
  readonly serverHistory?: "untrusted" | "trusted" | undefined;
}

/**
 * Once the model has read output that others may have written, tools that can carry data out are blocked, or wait for a person.
 * An instruction in a page, to fetch an address with a secret in it, then comes to nothing, though both tools only read.
 *
 * Calls of one reply are judged by what the model had read when it wrote them. History before the run counts too, and so do
 * tools that the provider runs itself. It is a {@link toolGuard} with a ready check.
 *
 * @example
 * afterUntrusted({ tools: ["fetch_page"], trusted: ["get_order"] });
 * @throws ToolwrightError `RUN_OPTIONS` for a wrong option.
 */
export function afterUntrusted(options: AfterUntrustedOptions): Middleware {
  checkOptions("afterUntrusted", options, {
    tools: toolRule,
    trusted: textList,
    allow: aFunction,
    onSeen: oneOf("block", "ask"),
    serverHistory: oneOf("untrusted", "trusted"),
  });
  checkOption("afterUntrusted", "tools", options.tools, toolRule);
  const { tools, trusted = [], allow, serverHistory = "untrusted" } = options;
  const mayAsk = options.onSeen === "ask";
  const isUntrusted = ({ tool }: SeenOutput): boolean => (tool === undefined ? serverHistory === "untrusted" : !trusted.includes(tool));
  const guard = toolGuard({
    name: "afterUntrusted",
    mayAsk,
    check(call, { seen }) {
      const sources = seen.filter(isUntrusted);
      if (sources.length === 0 || !carriesOut(tools, call) || allow?.(call) === true) return { pass: true };
      if (mayAsk) return { ask: true };
      const names = sources.map(({ tool }) => tool ?? "an earlier conversation").join(", ");
      return { block: `${call.name} can carry data out, and what was read before (${names}) may have asked for it. Answer without it.` };
    },
  });
  const named = typeof tools === "function" ? {} : { tools: [...tools] };
  return {
    ...guard,
    wrapModelCall(call, next, context) {
      assertThere(tools, context.run.tools);
      return guard.wrapModelCall === undefined ? next(call) : guard.wrapModelCall(call, next, context);
    },
    kind: "afterUntrusted",
    options: { ...named, trusted: [...trusted], allow: allow !== undefined, onSeen: options.onSeen ?? "block", serverHistory },
  };
}

const toolRule: OptionCheck = (value) =>
  Array.isArray(value) && value.length === 0 ? "a list of at least one name, or a function" : either(textList, aFunction)(value);

// A name that is misspelt would guard nothing. An agent that hands over may mean a tool of the other one.
function assertThere(tools: AfterUntrustedOptions["tools"], known: readonly ToolInfo[]): void {
  if (typeof tools === "function" || known.some(isHandoff)) return;
  const unknown = tools.find((name) => !known.some((tool) => tool.name === name));
  if (unknown === undefined || known.length === 0) return;
  const names = known.map(({ name }) => name).join(", ");
  throw new ToolwrightError("RUN_OPTIONS", `afterUntrusted(): \`tools\` names ${quote(unknown)}, which is no tool. There are: ${names}.`);
}

function carriesOut(tools: AfterUntrustedOptions["tools"], { name, tool }: Pick<ToolCall, "name" | "tool">): boolean {
  if (typeof tools === "function") return tool === undefined || tools(tool);
  return tools.includes(name);
}
