import type { FunctionToolSpec, ModelRequest, ToolSpec } from "../contracts/model.js";
import type { HostedTool, ToolInfo } from "../contracts/tool.js";

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
 * Tools in a namespace are chosen like any others. Hosted tools, and others that are not the agent's own, are left as they are.
 */
export function offeredTools(all: readonly ToolSpec[], { tools, chosen, search, deferred }: Offer): readonly ToolSpec[] {
  const left = new Set(tools.map(({ name }) => name).filter((name) => !chosen.has(name)));
  if (left.size === 0 && search === undefined) return all;
  const known = lists.get(all) ?? new Map<string, readonly ToolSpec[]>();
  lists.set(all, known);
  const key = JSON.stringify([deferred, search?.name, ...left]);
  let list = known.get(key);
  if (list === undefined) {
    const kept = deferred ? withSearch(all.map((spec) => deferredSpec(spec, left))) : all.flatMap((spec) => offeredSpec(spec, left));
    list = Object.freeze(search === undefined ? kept : [...kept, search]);
  }
  // The one that was used last goes last.
  known.delete(key);
  known.set(key, list);
  if (known.size > keptLists) known.delete(known.keys().next().value as string);
  return list;
}

/** Kinds of tools that the agent runs itself, and a model calls by name. */
const named: ReadonlySet<string> = new Set(["function", "custom"]);

const isLeft = (spec: ToolSpec, left: ReadonlySet<string>): boolean =>
  named.has(spec.type) && left.has(String(spec["name" as keyof ToolSpec]));

const membersOf = (spec: ToolSpec): readonly ToolSpec[] | undefined =>
  spec.type === "namespace" ? ((spec as HostedTool)["tools"] as readonly ToolSpec[]) : undefined;

function deferredSpec(spec: ToolSpec, left: ReadonlySet<string>): ToolSpec {
  const members = membersOf(spec);
  if (members !== undefined) return { ...spec, tools: members.map((member) => deferredSpec(member, left)) };
  return isLeft(spec, left) ? { ...spec, defer_loading: true } : spec;
}

// A namespace goes with the last of its tools.
function offeredSpec(spec: ToolSpec, left: ReadonlySet<string>): readonly ToolSpec[] {
  const tools = membersOf(spec)?.filter((member) => !isLeft(member, left));
  if (tools === undefined) return isLeft(spec, left) ? [] : [spec];
  return tools.length === 0 ? [] : [{ ...spec, tools }];
}

function withSearch(specs: readonly ToolSpec[]): readonly ToolSpec[] {
  return specs.some(({ type }) => type === "tool_search") ? specs : [...specs, { type: "tool_search" }];
}

/** The tools that a request's choice names: the API refuses a choice among tools that are not there. */
export function forcedTools({ toolChoice }: ModelRequest): readonly string[] {
  if (typeof toolChoice !== "object") return [];
  const { type, name, tools } = toolChoice as { readonly type: string; readonly name?: unknown; readonly tools?: unknown };
  if (named.has(type)) return [String(name)];
  return type === "allowed_tools" && Array.isArray(tools) ? tools.map((tool: { readonly name?: unknown }) => String(tool.name)) : [];
}
