import type { Item } from "../contracts/item.js";
import type { ModelRequest } from "../contracts/model.js";
import { ToolwrightError } from "../errors/toolwright-error.js";

/** Servers that speak the Responses API, each in its own way. */
export type Provider = "openai" | "azure" | "ollama" | "vllm" | "openrouter" | "lmstudio" | "llamacpp";

/** What a server can do, as far as public reports tell. */
interface ProviderFlags {
  /** Whether the server keeps responses (`chained`) and conversations. */
  readonly state: { readonly chained: boolean; readonly conversation: boolean };
  /** Whether responses can be made in the background and fetched later. */
  readonly background: boolean;
  /** Types of tools it takes; undefined for all. */
  readonly toolTypes: readonly string[] | undefined;
  /** Whether reasoning is asked for in encrypted form and sent back. */
  readonly encryptedReasoning: boolean;
  /** Whether a tool's output may hold images and files. */
  readonly richOutputs: boolean;
  /** Whether a reasoning item without any content is taken back. */
  readonly emptyReasoning: boolean;
}

const full: ProviderFlags = {
  state: { chained: true, conversation: true },
  background: true,
  toolTypes: undefined,
  encryptedReasoning: true,
  richOutputs: true,
  emptyReasoning: true,
};
const stateless = { state: { chained: false, conversation: false }, background: false };

const flags: Readonly<Record<Provider, ProviderFlags>> = {
  openai: full,
  azure: full,
  ollama: { ...full, ...stateless, toolTypes: ["function"], encryptedReasoning: false },
  // It can keep responses, but only when started for it, and then never lets go of them. Of other tools than functions, it has
  // those that it can be started with a server for; the rest it leaves out without a word.
  vllm: { ...full, ...stateless, toolTypes: ["function", "mcp", "code_interpreter", "web_search_preview"], encryptedReasoning: false },
  openrouter: { ...full, ...stateless, toolTypes: ["function"] },
  // Streamed responses cannot be found again there, so that a chain breaks.
  lmstudio: { ...full, ...stateless, toolTypes: ["function", "mcp"], encryptedReasoning: false },
  llamacpp: { ...stateless, toolTypes: ["function"], encryptedReasoning: false, richOutputs: false, emptyReasoning: false },
};

/** Names of the known providers. */
export const providers = Object.keys(flags) as readonly Provider[];

/** Whether the provider gives and takes encrypted reasoning. */
export function takesEncryptedReasoning(provider: Provider): boolean {
  return flags[provider].encryptedReasoning;
}

/**
 * Refuses, before it is sent, what a provider is known to refuse.
 *
 * @throws ToolwrightError `MODEL_UNSUPPORTED` naming the provider, the thing, and the way out.
 */
export function assertProviderTakes(provider: Provider, { state, tools, input }: ModelRequest, inBackground = false): void {
  const { state: kept, background, toolTypes, richOutputs } = flags[provider];
  if (inBackground && !background) throw unsupported(provider, "no responses in the background", "Leave `background` out.");
  if (state.kind !== "local" && !kept[state.kind]) {
    throw unsupported(provider, `no history of the kind "${state.kind}"`, 'Use `history: { kind: "local" }`.');
  }
  const tool = toolTypes === undefined ? undefined : tools.find(({ type }) => !toolTypes.includes(type));
  if (tool !== undefined) throw unsupported(provider, `no tools of the type "${tool.type}"`, "Take it off the agent's `tools`.");
  const rich = richOutputs ? undefined : input.find(isRichOutput);
  if (rich !== undefined) throw unsupported(provider, "no images or files in a tool's output", "Let the tool return text.");
}

/** The items that the provider takes back. */
export function itemsFor(provider: Provider, input: readonly Item[]): readonly Item[] {
  if (flags[provider].emptyReasoning || !input.some(isEmptyReasoning)) return input;
  return input.filter((item) => !isEmptyReasoning(item));
}

function isRichOutput({ type, output }: Item): boolean {
  const isOutput = type === "function_call_output" || type === "custom_tool_call_output";
  return isOutput && Array.isArray(output) && output.some((part: { type?: unknown }) => part.type !== "input_text");
}

function isEmptyReasoning({ type, summary, content, encrypted_content: sealed }: Item): boolean {
  const empty = (list: unknown): boolean => !Array.isArray(list) || list.length === 0;
  return type === "reasoning" && empty(summary) && empty(content) && !sealed;
}

function unsupported(provider: Provider, what: string, fix: string): ToolwrightError {
  return new ToolwrightError("MODEL_UNSUPPORTED", `The provider "${provider}" takes ${what}.`, { fix, details: { provider } });
}
