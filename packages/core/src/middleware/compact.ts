import type { Item } from "../contracts/item.js";
import type { Middleware, RunInfo } from "../contracts/middleware.js";
import type { Model, ModelRequest } from "../contracts/model.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { wireText } from "../run/history-wire.js";
import { askForSummary } from "./ask-for-summary.js";
import { cutIndex, isFixed, latestQuestion } from "./compact-split.js";
import { aFunction, checkOptions, type OptionCheck, positiveInteger, quote } from "./options.js";
import { isOf, Summaries, type Summary, summaryOf } from "./summaries.js";
import { estimateInputTokens } from "./token-estimate.js";

/** Options of {@link compact}: one of `maxTokens` and `maxChars` must be given. */
export interface CompactOptions {
  /**
   * Tokens of a request beyond which its history is shortened, instructions and tools counted. Estimated: by the
   * characters, and by what the server said of the request before.
   */
  readonly maxTokens?: number | undefined;
  /** Characters of a request's items, as JSON, beyond which they are shortened. */
  readonly maxChars?: number | undefined;
  /** The latest steps (a reply and the outputs of its calls) that stay as they are. Fewer when these alone are too long. Default 3. */
  readonly keepSteps?: number | undefined;
  /** Makes the summary in place of a model. `earlier` is the summary of what came before `items`. */
  readonly summarize?:
    | ((
        items: readonly Item[],
        context: { readonly run: RunInfo; readonly signal: AbortSignal; readonly earlier: string | undefined },
      ) => string | Promise<string>)
    | undefined;
  /** The model that makes the summary, or its name. Default: the agent's own. */
  readonly model?: Model | string | undefined;
}

type CompactState = {
  summary: Summary | null;
  /** Tokens that the server counted for each one that was estimated. */
  ratio: number;
};

/**
 * Shortens the history of long runs: when a request gets too long, a summary takes the place of its oldest steps. The
 * user's latest question, messages of the developer, and the latest steps stay as they are. `result.history` stays whole:
 * only what is sent is shortened.
 *
 * For histories that the application keeps. Where the server keeps them, `settings.context_management` does the same there.
 *
 * @throws ToolwrightError `RUN_OPTIONS` for a wrong option; during a run, for a history that the server keeps without
 * `context_management`.
 */
export function compact(options: CompactOptions): Middleware {
  checkCompact(options);
  const { maxTokens, maxChars, keepSteps = 3, summarize, model } = options;
  const limit = (maxTokens ?? maxChars) as number; // one of them is there
  const worthwhileChars = (maxTokens === undefined ? limit : limit * 4) / 10;
  // Shared by all runs on purpose: digests and summaries of histories that this process has seen.
  const summaries = new Summaries();

  const sizeOf = (request: ModelRequest, { ratio }: CompactState): number =>
    maxTokens === undefined ? charsOf(request.input) : estimateInputTokens(request) * ratio;
  const pieceChars = ({ ratio }: CompactState): number => Math.max(1_000, maxTokens === undefined ? limit : (limit * 3) / ratio);

  const middleware: Middleware<CompactState> = {
    name: "compact",
    kind: "compact",
    repeats: true,
    traits: ["repeats-model"],
    options: shownOptions(options, keepSteps),
    state: () => ({ summary: null, ratio: 1 }),

    async wrapModelCall(call, next, { state, run, signal }) {
      const { request } = call;
      if (request.state.kind !== "local") {
        assertServerCompacts(request, request.state.kind);
        return next(call);
      }
      const { input } = request;
      if (state.summary !== null && !isOf(state.summary, input)) state.summary = null;
      let shortened = withInput(request, state.summary);
      if (sizeOf(shortened, state) > limit) {
        state.summary ??= summaries.find(input) ?? null;
        shortened = withInput(request, state.summary);
      }
      if (sizeOf(shortened, state) > limit) {
        const covered = state.summary?.covered ?? 0;
        // Half of the room for what stays: else the next step would be too long again.
        const cut = cutIndex(input, keepSteps, (rest) => sizeOf({ ...request, input: rest }, state) <= limit / 2);
        const items = input.slice(covered, cut).filter((item) => !isFixed(item));
        // Less is not worth a request: it is something else that is too long.
        if (charsOf(items) >= worthwhileChars) {
          const earlier = state.summary?.text;
          const text =
            summarize === undefined
              ? await askForSummary({ items, earlier, pieceChars: pieceChars(state), model }, call, next, run)
              : checkedText(await summarize(items, { run, signal, earlier }));
          state.summary = summaryOf(input, cut, text);
          summaries.keep(state.summary);
          shortened = withInput(request, state.summary);
        }
      }
      const response = await next(shortened === request ? call : { ...call, request: shortened });
      if (maxTokens !== undefined) state.ratio = ratioOf(response.usage?.inputTokens, shortened) ?? state.ratio;
      return response;
    },
  };
  return middleware;
}

// The item is the same object in all requests, so that it is written as JSON once.
const noteItems = new WeakMap<Summary, Item>();

function withInput(request: ModelRequest, summary: Summary | null): ModelRequest {
  if (summary === null) return request;
  let item = noteItems.get(summary);
  if (item === undefined) {
    // The model's own words: what tools said and pages held must not speak with the user's voice.
    item = { type: "message", role: "assistant", content: `My notes on the conversation so far:\n${summary.text}` };
    noteItems.set(summary, item);
  }
  const { input } = request;
  const { covered } = summary;
  const [start, end] = latestQuestion(input);
  const newest = input.slice(0, covered).findLastIndex(({ type }) => type === "compaction");
  const stays = (candidate: Item, index: number): boolean =>
    (index >= start && index < end) || (isFixed(candidate) && (candidate.type !== "compaction" || index === newest));
  return { ...request, input: [...input.slice(0, covered).filter(stays), item, ...input.slice(covered)] };
}

const charsOf = (input: readonly Item[]): number => input.reduce((sum, item) => sum + wireText(item).length, 0);

function ratioOf(counted: number | undefined, request: ModelRequest): number | undefined {
  const estimated = estimateInputTokens(request);
  // Far off it is no count of this request, such as a server's that counts what was not cached only.
  return counted === undefined || counted <= 0 || estimated === 0 ? undefined : Math.min(4, Math.max(0.25, counted / estimated));
}

function assertServerCompacts({ settings }: ModelRequest, kind: string): void {
  if ((settings.context_management ?? []).length > 0) return;
  throw new ToolwrightError(
    "RUN_OPTIONS",
    `compact() shortens what the application sends, and with \`history: { kind: "${kind}" }\` the server keeps the history.`,
    {
      fix: 'Let the server shorten it: `settings: { context_management: [{ type: "compaction", compact_threshold: 100_000 }] }`.',
    },
  );
}

function checkedText(text: unknown): string {
  if (typeof text === "string" && text.trim() !== "") return text.toWellFormed();
  throw new ToolwrightError("RUN_MIDDLEWARE", `compact({ summarize }) must give a text; it gave ${quote(text)}.`);
}

function checkCompact(options: CompactOptions): void {
  checkOptions("compact", options, {
    maxTokens: positiveInteger,
    maxChars: positiveInteger,
    keepSteps: positiveInteger,
    summarize: aFunction,
    model: aModel,
  });
  const { maxTokens, maxChars, summarize, model } = options;
  if ((maxTokens === undefined) === (maxChars === undefined)) {
    throw new ToolwrightError("RUN_OPTIONS", "compact() needs a limit: either `maxTokens` or `maxChars`.");
  }
  if (summarize !== undefined && model !== undefined) {
    throw new ToolwrightError("RUN_OPTIONS", "compact(): `summarize` and `model` exclude each other: one of them makes the summary.");
  }
}

const aModel: OptionCheck = (value) =>
  (typeof value === "string" && value !== "") || typeof (value as Partial<Model> | null)?.respond === "function"
    ? undefined
    : "a model or the name of one";

function shownOptions({ maxTokens, maxChars, summarize, model }: CompactOptions, keepSteps: number): NonNullable<Middleware["options"]> {
  const limit: Record<string, number> = maxTokens === undefined ? { maxChars: maxChars as number } : { maxTokens };
  const by =
    summarize !== undefined ? { summarize: true } : model === undefined ? {} : { model: typeof model === "string" ? model : model.name };
  return { ...limit, keepSteps, ...by };
}
