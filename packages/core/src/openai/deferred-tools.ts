import type { Item } from "../contracts/item.js";
import type { ToolSpec } from "../contracts/model.js";
import { ToolwrightError } from "../errors/toolwright-error.js";

interface Spec {
  readonly type: string;
  readonly name?: unknown;
  readonly server_label?: unknown;
  readonly defer_loading?: unknown;
  readonly tools?: unknown;
}

/** Names of what is deferred in a list of tools, namespaces looked into. Looked up once for each list. */
const deferredNames = new WeakMap<readonly ToolSpec[], readonly string[]>();
const eagerLists = new WeakMap<readonly ToolSpec[], Map<string, readonly ToolSpec[]>>();

/**
 * The tools as this request may send them. A function whose call stands in the history without a namespace has to be there
 * from the start once a search has loaded it too: the API would take the call for one of a function that does not exist.
 *
 * @throws ToolwrightError `RUN_OPTIONS` for deferred tools that nothing would load.
 */
export function sendableTools(tools: readonly ToolSpec[], input: readonly Item[]): readonly ToolSpec[] {
  const deferred = deferredIn(tools);
  if (deferred.length === 0) return tools;
  if (!tools.some(({ type }) => type === "tool_search")) {
    throw new ToolwrightError("RUN_OPTIONS", `${deferred[0]} is deferred, and no search would load it.`, {
      fix: 'Add `{ type: "tool_search" }` to `tools`.',
    });
  }
  const loaded = new Set(input.flatMap((item) => (item.type === "tool_search_output" ? namesIn(item["tools"]) : [])));
  const calledPlainly = input.filter(({ type, namespace }) => type === "function_call" && namespace === undefined);
  const eager = new Set(calledPlainly.map(({ name }) => String(name)).filter((name) => loaded.has(name) && deferred.includes(name)));
  return eager.size === 0 ? tools : withEager(tools, eager);
}

function deferredIn(tools: readonly ToolSpec[]): readonly string[] {
  let names = deferredNames.get(tools);
  if (names === undefined) {
    names = (tools as readonly Spec[]).flatMap((tool) =>
      [tool, ...membersOf(tool)].filter((each) => each.defer_loading === true).map(nameOf),
    );
    deferredNames.set(tools, names);
  }
  return names;
}

const membersOf = ({ type, tools }: Spec): readonly Spec[] =>
  type === "namespace" && Array.isArray(tools) ? (tools as readonly Spec[]) : [];
const nameOf = ({ name, server_label }: Spec): string => String(name ?? server_label);

// What a search gives back has the form of what was declared; namespaces among it hold the functions.
function namesIn(tools: unknown): readonly string[] {
  if (!Array.isArray(tools)) return [];
  return (tools as readonly (Spec | null)[]).flatMap((tool) => (tool === null ? [] : [nameOf(tool), ...membersOf(tool).map(nameOf)]));
}

// The same list for the same choice, so that it is written as JSON only once.
function withEager(tools: readonly ToolSpec[], eager: ReadonlySet<string>): readonly ToolSpec[] {
  const known = eagerLists.get(tools) ?? new Map<string, readonly ToolSpec[]>();
  eagerLists.set(tools, known);
  const key = [...eager].sort().join(" ");
  const list =
    known.get(key) ??
    Object.freeze(
      tools.map((tool): ToolSpec => {
        if (!eager.has(nameOf(tool as Spec))) return tool;
        const { defer_loading: _, ...rest } = tool as ToolSpec & Spec;
        return rest as ToolSpec;
      }),
    );
  known.set(key, list);
  return list;
}
