import type { FunctionToolSpec, ModelRequest, ToolSpec } from "../contracts/model.js";
import type { ToolInfo } from "../contracts/tool.js";

/** Which of an agent's tools a request may offer, and in which form. */
export interface Offer {
  readonly tools: readonly ToolInfo[];
  /** Names of the tools that are offered as they are. */
  readonly chosen: ReadonlySet<string>;
  /** Offered beside them. */
  readonly search: FunctionToolSpec | undefined;
  /** Whether the others are sent too, for the API's own search to load. */
  readonly deferred: boolean;
}

/** Lists that are kept for one list of tools: beyond it, the oldest go. */
const keptLists = 32;
const lists = new WeakMap<readonly ToolSpec[], Map<string, readonly ToolSpec[]>>();

/**
 * The tools that a request offers: the same list for the same choice, so that the adapter writes it as JSON only once.
 * Hosted tools, and functions that are not the agent's own, are left as they are.
 */
export function offeredTools(all: readonly ToolSpec[], { tools, chosen, search, deferred }: Offer): readonly ToolSpec[] {
  const left = new Set(tools.map(({ name }) => name).filter((name) => !chosen.has(name)));
  if (left.size === 0 && search === undefined) return all;
  const known = lists.get(all) ?? new Map<string, readonly ToolSpec[]>();
  lists.set(all, known);
  const key = JSON.stringify([deferred, search?.name, ...left]);
  let list = known.get(key);
  if (list === undefined) {
    const isLeft = (spec: ToolSpec): boolean => spec.type === "function" && left.has(String(spec["name" as keyof ToolSpec]));
    const kept = deferred
      ? withSearch(all.map((spec) => (isLeft(spec) ? { ...spec, defer_loading: true } : spec)))
      : all.filter((spec) => !isLeft(spec));
    list = Object.freeze(search === undefined ? kept : [...kept, search]);
  }
  // The one that was used last goes last.
  known.delete(key);
  known.set(key, list);
  if (known.size > keptLists) known.delete(known.keys().next().value as string);
  return list;
}

function withSearch(specs: readonly ToolSpec[]): readonly ToolSpec[] {
  return specs.some(({ type }) => type === "tool_search") ? specs : [...specs, { type: "tool_search" }];
}

/** The functions that a request's choice names: the API refuses a choice among tools that are not there. */
export function forcedTools({ toolChoice }: ModelRequest): readonly string[] {
  if (typeof toolChoice !== "object") return [];
  const { type, name, tools } = toolChoice as { readonly type: string; readonly name?: unknown; readonly tools?: unknown };
  if (type === "function") return [String(name)];
  return type === "allowed_tools" && Array.isArray(tools) ? tools.map((tool: { readonly name?: unknown }) => String(tool.name)) : [];
}
