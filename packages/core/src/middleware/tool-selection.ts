import type { Middleware, ModelCall, Mutable, RunInfo, ToolCall } from "../contracts/middleware.js";
import type { ToolSpec } from "../contracts/model.js";
import type { InvalidOutcome } from "../contracts/outcome.js";
import type { ToolInfo } from "../contracts/tool.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { forcedTools, offeredTools } from "./offered-tools.js";
import { aFunction, boolean, checkOptions, either, type OptionCheck, positiveInteger, quote, textList } from "./options.js";
import { type SearchTool, searchTool } from "./search-tool.js";
import { isHostedApproval } from "./tool-kinds.js";

/** Options of {@link toolSelection}. At least one must be given; what several choose is offered together. */
export interface ToolSelectionOptions {
  /** Offers the tools that have one of these tags (`@Tool({ tags: ["orders"] })`). */
  readonly tags?: readonly string[] | undefined;
  /** Offers the tools of these names. */
  readonly names?: readonly string[] | undefined;
  /** Chooses anew for each request: gives names of tools. */
  readonly select?:
    | ((
        call: ModelCall,
        context: { readonly run: RunInfo; readonly signal: AbortSignal },
      ) => readonly string[] | Promise<readonly string[]>)
    | undefined;
  /**
   * Offers a tool by which the model finds others by words; what it finds is offered from the next step of the run on.
   * `limit`: tools found by one search, default 5. `name`: of the search itself, default `"search_tools"`.
   */
  readonly search?: boolean | { readonly limit?: number | undefined; readonly name?: string | undefined } | undefined;
  /**
   * Sends all other tools too, marked for deferred loading, together with the API's own search for tools. Only for models
   * and providers that have it. Not together with `search`.
   */
  readonly deferred?: boolean | undefined;
}

type SelectionState = {
  /** Tools of the agent that the run began with: what `tags` and `names` are about. Null before its first call. */
  own: string[] | null;
  /** What the model has found so far. */
  found: string[];
  /** The step that `offered` is about. */
  step: number;
  offered: string[];
};

/**
 * Offers the model a part of the agent's tools. A call of a tool that the request did not offer is `invalid`, and nothing
 * runs. Tools that a forced `tool_choice` names are always offered, hosted tools are not touched.
 *
 * `tags` and `names` are about the tools of the agent that was asked. Of one that it hands over to, they choose where they fit;
 * where they alone choose, tools that the first agent does not have are offered as well.
 *
 * @throws ToolwrightError `RUN_OPTIONS` for a wrong option; during a run, for a tag or a name that no tool has.
 */
export function toolSelection(options: ToolSelectionOptions): Middleware {
  checkSelection(options);
  const { tags = [], names = [], select, deferred = false } = options;
  const search = searchOf(options.search);
  // Agents whose tools have what the options name.
  const checked = new WeakSet<readonly ToolInfo[]>();
  const namesAlone = select === undefined && search === undefined && !deferred;
  const selection: Middleware<SelectionState> = {
    name: "toolSelection",
    kind: "toolSelection",
    traits: ["answers-tool"],
    options: {
      ...(tags.length === 0 ? {} : { tags: [...tags] }),
      ...(names.length === 0 ? {} : { names: [...names] }),
      ...(select === undefined ? {} : { select: true }),
      ...(search === undefined ? {} : { search: search.spec.name }),
      ...(deferred ? { deferred } : {}),
    },
    state: () => ({ own: null, found: [], step: -1, offered: [] }),

    async wrapModelCall(call, next, { state, run, signal }) {
      const { request } = call;
      const others = otherTools(state, run.tools);
      // Such as for a summary: there is nothing to choose from.
      if (request.tools.length === 0) return next(call);
      if (search !== undefined) assertFree(search.spec.name, [...run.tools, ...request.tools]);
      if (others === undefined && !checked.has(run.tools)) {
        assertThere(run.tools, options);
        checked.add(run.tools);
      }
      const selected = select === undefined ? [] : given(await select(call, { run, signal }), run.tools);
      const unnamed = namesAlone ? (others ?? []) : [];
      const chosen = new Set([...withTag(run.tools, tags), ...names, ...unnamed, ...selected, ...state.found, ...forcedTools(request)]);
      const tools = offeredTools(request.tools, { tools: run.tools, chosen, search: search?.spec, deferred });
      state.step = call.step;
      state.offered = namesOf(run.tools).filter((name) => deferred || chosen.has(name));
      return next(tools === request.tools ? call : { ...call, request: { ...request, tools } });
    },

    async wrapToolCall(call, next, { state, run }) {
      state.own ??= namesOf(run.tools);
      if (search !== undefined && call.tool === undefined && call.name === search.spec.name) {
        const { outcome, found } = search.answer(call, run.tools);
        state.found = [...new Set([...state.found, ...found])];
        return outcome;
      }
      // Of a step that was asked for elsewhere, such as before a crash, nobody knows what it was offered.
      const unjudged = call.tool === undefined || isHostedApproval(call.tool) || state.step !== call.step;
      if (unjudged || state.offered.includes(call.name)) return next(call);
      return notOffered(call, state.offered, search);
    },
  };
  return selection;
}

function checkSelection(options: ToolSelectionOptions): void {
  checkOptions("toolSelection", options, {
    tags: textList,
    names: textList,
    select: aFunction,
    search: either(boolean, anObject),
    deferred: boolean,
  });
  const { tags, names, select, search, deferred } = options;
  if (typeof search === "object") checkOptions("toolSelection({ search })", search, { limit: positiveInteger, name: toolName });
  if (!tags?.length && !names?.length && select === undefined && !search && deferred !== true) {
    throw new ToolwrightError("RUN_OPTIONS", "toolSelection() was given nothing to select by.", {
      fix: "Give at least one of `tags`, `names`, `select`, `search` and `deferred`.",
    });
  }
  if (search && deferred === true) {
    throw new ToolwrightError("RUN_OPTIONS", "toolSelection(): `search` and `deferred` exclude each other: each is a search of its own.");
  }
}

const anObject: OptionCheck = (value) => (typeof value === "object" && value !== null ? undefined : "an object with `limit` and `name`");
const toolName: OptionCheck = (value) =>
  typeof value === "string" && /^[a-zA-Z0-9_-]{1,64}$/.test(value) ? undefined : "a name of up to 64 letters, digits, _ and -";

function searchOf(search: ToolSelectionOptions["search"]): SearchTool | undefined {
  if (search === undefined || search === false) return undefined;
  const { limit = 5, name = "search_tools" } = search === true ? {} : search;
  return searchTool(name, limit);
}

/** After a handoff, the tools that the first agent does not have; undefined while that one answers. */
function otherTools(state: Mutable<SelectionState>, tools: readonly ToolInfo[]): readonly string[] | undefined {
  const names = namesOf(tools);
  const own = new Set((state.own ??= names));
  const others = names.filter((name) => !own.has(name));
  return others.length === 0 && names.length === own.size ? undefined : others;
}

const namesOf = (tools: readonly ToolInfo[]): string[] => tools.map(({ name }) => name);

const withTag = (tools: readonly ToolInfo[], tags: readonly string[]): readonly string[] =>
  tools.filter((tool) => tool.tags.some((tag) => tags.includes(tag))).map(({ name }) => name);

// A name that is misspelt would otherwise be a tool that is quietly missing.
function assertThere(tools: readonly ToolInfo[], options: ToolSelectionOptions): void {
  assertNames("names", options.names ?? [], tools);
  const tags = [...new Set(tools.flatMap((tool) => tool.tags))];
  const tag = options.tags?.find((each) => !tags.includes(each));
  if (tag !== undefined) {
    throw new ToolwrightError(
      "RUN_OPTIONS",
      `toolSelection(): no tool has the tag ${quote(tag)}. There are: ${tags.join(", ") || "none"}.`,
      {
        fix: 'Give the tools tags: `@Tool({ tags: ["…"] })`.',
      },
    );
  }
}

function assertFree(search: string, tools: readonly (ToolInfo | ToolSpec)[]): void {
  if (!tools.some((tool) => "name" in tool && tool.name === search)) return;
  throw new ToolwrightError("RUN_OPTIONS", `toolSelection(): there is a tool ${search} already.`, {
    fix: 'Give the search another name: `search: { name: "find_tools" }`.',
  });
}

function assertNames(where: string, names: readonly string[], tools: readonly ToolInfo[]): void {
  const unknown = names.find((name) => !tools.some((tool) => tool.name === name));
  if (unknown === undefined) return;
  const known = tools.map(({ name }) => name).join(", ") || "none";
  throw new ToolwrightError("RUN_OPTIONS", `toolSelection(): \`${where}\` names ${quote(unknown)}, which is no tool. There are: ${known}.`);
}

function given(names: unknown, tools: readonly ToolInfo[]): readonly string[] {
  const problem = textList(names);
  if (problem !== undefined)
    throw new ToolwrightError("RUN_OPTIONS", `toolSelection(): \`select\` must give ${problem}; it gave ${quote(names)}.`);
  assertNames("select", names as readonly string[], tools);
  return names as readonly string[];
}

function notOffered({ name }: ToolCall, offered: readonly string[], search: SearchTool | undefined): InvalidOutcome {
  const tools = search === undefined ? offered : [...offered, search.spec.name];
  const way = search === undefined ? "" : ` Find others with ${search.spec.name}.`;
  const message = `There is no tool ${name} at this step. There are: ${tools.join(", ") || "none"}.${way}`;
  return { kind: "invalid", error: { code: "TOOL_UNKNOWN", message, retryable: false, tools } };
}
