import type { Item } from "../contracts/item.js";
import type { Middleware, ModelCall, Mutable, RunInfo, ToolCall } from "../contracts/middleware.js";
import type { ModelResponse } from "../contracts/model.js";
import type { ToolOutcome } from "../contracts/outcome.js";
import type { ToolInfo } from "../contracts/tool.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { callOf } from "../run/history-calls.js";
import { CacheAccess, type StoreErrorListener } from "./cache-access.js";
import { CachedReads, type CacheScope } from "./cache-reads.js";
import { keepReply, keptReply, replyKey } from "./cache-replies.js";
import { type CacheStore, memoryStore } from "./cache-store.js";
import { digest } from "./digest.js";
import { aFunction, boolean, checkOptions, either, oneOf, type OptionCheck, positiveInteger, quote, textList } from "./options.js";
import { replyItems } from "./reply-items.js";
import { isAgentTool, isHandoff } from "./tool-kinds.js";

export type { CacheStore } from "./cache-store.js";

/** Options of {@link cache}. */
export interface CacheOptions {
  /**
   * Whether reads of tools are kept: all, or those of these names. Only tools declared `effect: "read"` are; an agent that is
   * used as a tool, only by its name. Default true.
   */
  readonly tools?: boolean | readonly string[] | undefined;
  /** Whether replies of the model are kept, by the whole request. For histories that the application keeps. Default false. */
  readonly model?: boolean | undefined;
  /**
   * Who shares what tools have read. `"run"`: nobody beyond the run. `"user"`: the runs of one user, as `user` tells.
   * `"shared"`: all runs, for tools that answer the same whoever asks. Default `"user"` with `user`, else `"run"`.
   */
  readonly scope?: "run" | "user" | "shared" | undefined;
  /**
   * Tells whose run it is, by all that answers hang on: an id of the user, of the tenant too where there are several.
   * Undefined: nothing of this run is shared.
   */
  readonly user?: ((run: RunInfo) => string | undefined) | undefined;
  /** Milliseconds that something is kept at most. Default 300,000. */
  readonly ttlMs?: number | undefined;
  /** Entries in memory. Default 1,000. */
  readonly maxEntries?: number | undefined;
  /** Bytes in memory. Default 33,554,432 (32 MiB). */
  readonly maxBytes?: number | undefined;
  /** Keeps entries elsewhere than in memory; what is of one run only stays in memory. */
  readonly store?: CacheStore | undefined;
  /** Told when the store fails, is late, or gives what is no entry. Default: the first time, as a warning of the process. */
  readonly onStoreError?: StoreErrorListener | undefined;
}

type CacheState = {
  /** The step that `writes` is about. */
  step: number;
  /** Whether its reply asks for anything but reads. */
  writes: boolean;
};

/** What one run has, as long as it is at work. */
interface RunCache {
  readonly scope: CacheScope;
  /** Undefined where replies are not to be kept. */
  readonly replies: { readonly user: string | undefined } | undefined;
  /** Set once a write may still have its effect later: nobody then knows what a read is worth. */
  uncertain: boolean;
}

/**
 * Answers calls from memory: reads of tools by tool, arguments and user, replies of the model by the whole request. Only
 * `ok` outcomes and completed replies are kept. Equal reads that are made at once are made once.
 *
 * Any call of a tool that is not declared a read drops all that was read in the same scope. In a step with such a call, and
 * after a write of unknown outcome, reads are made anew. Tools that need approval are never answered from memory.
 *
 * A store that fails is a store that has nothing: the run goes on.
 *
 * @throws ToolwrightError `RUN_OPTIONS` for a wrong option; during a run, for a `user` that gives no text.
 */
export function cache(options: CacheOptions = {}): Middleware {
  checkCache(options);
  const { tools = true, model = false, user, ttlMs = 300_000, maxEntries = 1_000, maxBytes = 2 ** 25, store, onStoreError } = options;
  const scope = options.scope ?? (user === undefined ? "run" : "user");
  // Shared by all runs of all agents that have this middleware, on purpose: that is what a cache is for.
  const shared = new CacheAccess(store ?? memoryStore(maxEntries, maxBytes), onStoreError);
  const reads = new CachedReads(ttlMs);
  const runs = new WeakMap<RunInfo, RunCache>();
  const ofRun = (run: RunInfo): RunCache => {
    let known = runs.get(run);
    if (known === undefined) {
      assertReads(tools, run.tools);
      const name = userOf(user, run);
      const alone = scope === "run" || (scope === "user" && name === undefined);
      const access = alone ? new CacheAccess(memoryStore(maxEntries, maxBytes), onStoreError) : shared;
      const who = alone ? `run ${crypto.randomUUID()}` : name === undefined ? "all" : `user ${name}`;
      const replies = user !== undefined && name === undefined ? undefined : { user: name };
      runs.set(run, (known = { scope: { name: digest(who), access }, replies, uncertain: false }));
    }
    return known;
  };
  const isKept = ({ tool, issues, name, approval }: ToolCall): boolean => {
    if (tool === undefined || issues !== undefined || tool.needsApproval || approval === true || isHandoff(tool)) return false;
    return tools === true ? !isAgentTool(tool) : tools !== false && tools.includes(name);
  };

  const middleware: Middleware<CacheState> = {
    name: "cache",
    kind: "cache",
    traits: [...(model ? (["answers-model"] as const) : []), ...(tools === false ? [] : (["answers-tool"] as const))],
    // What is answered here must be counted, checked, allowed and fenced all the same.
    order: { inside: ["stepBudget", "budget", "inputGuard", "outputGuard", "toolGuard", "toolSelection", "redact", "approval"] },
    options: { tools: typeof tools === "boolean" ? tools : [...tools], model, scope, ttlMs, store: store !== undefined },
    state: () => ({ step: -1, writes: true }),

    async wrapModelCall(call, next, { state, run, signal }) {
      const { replies } = ofRun(run);
      const asked = model && replies !== undefined && call.request.state.kind === "local";
      const response = asked ? await reply(call, next, shared, replies.user, ttlMs, signal) : await next(call);
      noteWrites(state, call.step, response, run.tools);
      // The provider has made it already, and nobody here knows what it did.
      if (tools !== false && replyItems(response).some(({ type }) => type === "mcp_call")) await noteChange(ofRun(run), reads, signal);
      return response;
    },

    async wrapToolCall(call, next, { state, run, signal }) {
      if (tools === false) return next(call);
      const known = ofRun(run);
      if (call.tool !== undefined && !isRead(call.tool)) return write(known, reads, () => next(call), signal);
      // Its turn comes after that of a write before it in the same reply, and so must what it reads.
      const alone = state.step === call.step && !state.writes;
      if (!alone || known.uncertain || !isKept(call)) return next(call);
      return reads.read(known.scope, call, () => next(call), signal);
    },
  };
  return middleware;
}

async function reply(
  call: ModelCall,
  next: (call: ModelCall) => Promise<ModelResponse>,
  access: CacheAccess,
  user: string | undefined,
  ttlMs: number,
  signal: AbortSignal,
): Promise<ModelResponse> {
  const key = replyKey(call, user);
  const kept = await keptReply(access, key, signal);
  if (kept !== undefined) return kept;
  const response = await next(call);
  keepReply(access, key, response, ttlMs);
  return response;
}

async function write(known: RunCache, reads: CachedReads, next: () => Promise<ToolOutcome>, signal: AbortSignal): Promise<ToolOutcome> {
  let outcome: ToolOutcome | undefined;
  try {
    outcome = await next();
    return outcome;
  } finally {
    const kind = outcome?.kind ?? "unknown";
    if (kind === "unknown") known.uncertain = true;
    if (kind === "ok" || kind === "failed" || kind === "unknown") await noteChange(known, reads, signal);
  }
}

async function noteChange(known: RunCache, reads: CachedReads, signal: AbortSignal): Promise<void> {
  const told = reads.changed(known.scope, signal);
  // A store that does not know of the write would go on giving what was read before it.
  if (!signal.aborted && !(await told)) known.uncertain = true;
}

function noteWrites(state: Mutable<CacheState>, step: number, { output }: ModelResponse, tools: readonly ToolInfo[]): void {
  const mayWrite = (item: Item): boolean => {
    const name = callOf(item)?.name;
    return item.type === "mcp_approval_request" || tools.some((tool) => tool.name === name && !isRead(tool));
  };
  state.step = step;
  state.writes = !Array.isArray(output) || output.some((item: Item | null) => item !== null && mayWrite(item));
}

const isRead = ({ effect, effectDeclared }: ToolInfo): boolean => effectDeclared && effect === "read";

// A name that is never kept would be a cache that quietly does nothing.
function assertReads(names: boolean | readonly string[], tools: readonly ToolInfo[]): void {
  const wrong = typeof names === "boolean" ? undefined : tools.find((tool) => names.includes(tool.name) && !isRead(tool));
  if (wrong === undefined) return;
  throw new ToolwrightError("RUN_OPTIONS", `cache({ tools }) names ${wrong.name}, which is not declared a read, so it is never kept.`, {
    fix: 'Declare it with `effect: "read"`, or take it off the list.',
  });
}

function userOf(user: CacheOptions["user"], run: RunInfo): string | undefined {
  const name: unknown = user?.(run);
  if (name === undefined || (typeof name === "string" && name !== "")) return name;
  throw new ToolwrightError("RUN_OPTIONS", `cache({ user }) must give a text or undefined; it gave ${quote(name)}.`);
}

function checkCache(options: CacheOptions): void {
  checkOptions("cache", options, {
    tools: either(boolean, textList),
    model: boolean,
    scope: oneOf("run", "user", "shared"),
    user: aFunction,
    ttlMs: positiveInteger,
    maxEntries: positiveInteger,
    maxBytes: positiveInteger,
    store: aStore,
    onStoreError: aFunction,
  });
  const { tools, model, scope, user } = options;
  if (tools === false && model !== true) {
    throw new ToolwrightError("RUN_OPTIONS", "cache() keeps neither reads nor replies: `tools` is false and `model` is not true.");
  }
  if (scope === "user" && user === undefined) {
    throw new ToolwrightError("RUN_OPTIONS", 'cache({ scope: "user" }) needs `user`, which tells whose run it is.');
  }
  if (scope === "shared" && user !== undefined) {
    throw new ToolwrightError("RUN_OPTIONS", 'cache(): `user` and `scope: "shared"` exclude each other.', {
      fix: "Leave `scope` out to keep users apart, or `user` to let all have the same.",
    });
  }
}

const aStore: OptionCheck = (value) =>
  (["get", "set"] as const).every((method) => typeof (value as Partial<CacheStore> | null)?.[method] === "function")
    ? undefined
    : "a store with the methods get and set";
