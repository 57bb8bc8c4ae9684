import type { Middleware, ModelCall, NextModelCall, RunInfo } from "../contracts/middleware.js";
import type { Model } from "../contracts/model.js";
import { catalogue } from "../errors/catalogue.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { askedModel } from "./asked-model.js";
import { aFunction, boolean, checkOption, checkOptions, either, oneOf, type OptionCheck } from "./options.js";
import { portableReply, portableRequest } from "./portable-items.js";
import { surelyNotTaken } from "./surely-not-taken.js";

/** Options of {@link fallback}. */
export interface FallbackOptions {
  /**
   * Which models to ask when the agent's own one fails, in this order. A name is asked through the agent's own adapter and
   * client; a `Model` may be of another server.
   */
  readonly models: readonly (string | Model)[];
  /**
   * After which errors the next model is asked: a list of codes (`MODEL_…`), or a predicate. Default: where another model
   * may do better, which is all that tells of the server, the key, the quota or the model's name, and not a bad request.
   */
  readonly on?: readonly string[] | ((error: ToolwrightError, model: string) => boolean) | undefined;
  /** True (default): later steps of the run go on with the model that answered. False: each step begins with the first one. */
  readonly stay?: boolean | undefined;
  /**
   * What to do when text of the failed reply has already reached the consumer of a stream: `"fail"` (default), or
   * `"restart"`, which emits `step-restart` and asks the next model.
   */
  readonly afterOutput?: "fail" | "restart" | undefined;
}

type FallbackState = {
  /** Place of the model to begin with: 0 is the agent's own. */
  model: number;
  /** That agent's own model: after a handoff, another agent brings its own, which has not failed yet. */
  own: string;
};

interface Failure {
  readonly model: string;
  readonly error: ToolwrightError;
}

/**
 * Asks other models, in order, when one fails. It stands outside of `modelRetry`: each model gets its repeats first. Never
 * after an abort, never for an answer that was merely unwelcome, and in a conversation kept by the server never when the
 * failed request may have been taken.
 *
 * A `Model` gets the request without what only its writer can read (reasoning, compaction, ids of items), and what it
 * answers is kept without these, so that every model can go on from it. Where the server keeps the history, only names
 * are allowed.
 *
 * @throws ToolwrightError `RUN_OPTIONS` for a wrong option, and in a run for a `Model` where the server keeps the history.
 * When all fail, the last one's error, with `details.models`: each model and its code.
 */
export function fallback(options: FallbackOptions): Middleware<FallbackState> {
  checkOptions("fallback", options, {
    models: modelList,
    on: either(modelCodes, aFunction),
    stay: boolean,
    afterOutput: oneOf("fail", "restart"),
  });
  checkOption("fallback", "models", options.models, modelList);
  const { stay = true, afterOutput = "fail" } = options;
  const models = [...options.models];
  const on = typeof options.on === "object" ? [...options.on] : options.on;
  const count = models.length + 1;
  return {
    name: "fallback",
    kind: "fallback",
    repeats: true,
    traits: ["repeats-model"],
    order: { outside: ["modelRetry"] },
    options: {
      models: models.map(nameOf),
      ...(on === undefined ? {} : { on: typeof on === "object" ? on : "a function" }),
      stay,
      afterOutput,
    },
    state: () => ({ model: 0, own: "" }),
    async wrapModelCall(call, next, { state, run, signal }) {
      assertMovable(call, models);
      const failures: Failure[] = [];
      if (state.own !== run.model) Object.assign(state, { model: 0, own: run.model });
      const first = state.model % count;
      for (let turn = 0; ; turn += 1) {
        const place = (first + turn) % count;
        const model = models[place - 1];
        try {
          const response = await next(model === undefined ? call : callOf(call, model));
          if (stay) state.model = place;
          return typeof model === "object" ? portableReply(response) : response;
        } catch (error) {
          if (signal.aborted || call.signal?.aborted === true || !isModelError(error)) throw error;
          failures.push({ model: model === undefined ? askedModel(call) : nameOf(model), error });
          const last = failures.length === count || !asksNext(error, failures, on) || !canAskAgain(error, call, run, afterOutput);
          if (last) throw failures.length === 1 ? error : allFailed(failures, error);
          if (run.outputSeen) run.restartStep();
        }
      }
    },
  };
}

const nameOf = (model: string | Model): string => (typeof model === "string" ? model : model.name);

const isModelError = (error: unknown): error is ToolwrightError => ToolwrightError.is(error) && error.code.startsWith("MODEL_");

function callOf(call: ModelCall, model: string | Model): NextModelCall {
  return typeof model === "string" ? { ...call, model } : { ...call, model, request: portableRequest(call.request) };
}

// A chain or a conversation belongs to the server that keeps it.
function assertMovable({ request }: ModelCall, models: readonly (string | Model)[]): void {
  const { kind } = request.state;
  const foreign = kind === "local" ? undefined : models.find((model) => typeof model === "object");
  if (foreign === undefined) return;
  throw new ToolwrightError(
    "RUN_OPTIONS",
    `fallback() has the Model ${JSON.stringify(nameOf(foreign))}, but this history is ${kind}: the server keeps it, and no other one has it.`,
    { fix: 'Give the name of a model of the same server, or use `history: { kind: "local" }`.' },
  );
}

/** Another model, another key or another server may do better. */
const otherMayDoBetter: readonly string[] = [
  "MODEL_AUTHENTICATION",
  "MODEL_CIRCUIT_OPEN",
  "MODEL_CONFLICT",
  "MODEL_CONNECTION",
  "MODEL_NOT_FOUND",
  "MODEL_QUOTA",
  "MODEL_RATE_LIMIT",
  "MODEL_SERVER",
  "MODEL_STREAM_ENDED",
  "MODEL_TIMEOUT",
];

function asksNext(error: ToolwrightError, failures: readonly Failure[], on: FallbackOptions["on"]): boolean {
  if (typeof on === "function") return on(error, failures.at(-1)?.model ?? "");
  if (on !== undefined) return on.includes(error.code);
  // A response that failed by the server's fault; and a chain or a conversation that is not there is there for no model.
  if (error.code === "MODEL_FAILED") return error.retryable;
  return otherMayDoBetter.includes(error.code) && !isAboutHistory(error);
}

const isAboutHistory = ({ details }: ToolwrightError): boolean =>
  ["previous_response_id", "conversation"].includes(String(details["param"])) || details["code"] === "previous_response_not_found";

function canAskAgain(error: ToolwrightError, { request }: ModelCall, run: RunInfo, afterOutput: "fail" | "restart"): boolean {
  if (run.outputSeen && afterOutput === "fail") return false;
  return request.state.kind !== "conversation" || surelyNotTaken(error);
}

function allFailed(failures: readonly Failure[], last: ToolwrightError): ToolwrightError {
  const said = failures.map(({ model, error }) => `${model}: ${error.message.split("\nFix: ")[0]}`);
  const models = failures.map(({ model, error: { code } }) => ({ model, code }));
  return new ToolwrightError(last.code, `${failures.length} models failed. ${said.join(" ")}`, {
    cause: last,
    retryable: last.retryable,
    fix: last.fix,
    // With what is not enumerable in them, such as the text of a reply that was cut off.
    details: Object.defineProperties(
      {},
      { ...Object.getOwnPropertyDescriptors(last.details), models: { value: models, enumerable: true } },
    ),
  });
}

const modelList: OptionCheck = (value) => {
  const wanted = "a list of at least one model, each a name or a Model";
  if (!Array.isArray(value) || value.length === 0) return wanted;
  const isModel = (model: unknown): boolean =>
    typeof model === "string" ? model !== "" : typeof (model as Partial<Model> | null)?.respond === "function";
  return value.every(isModel) ? undefined : wanted;
};

const modelCodes: OptionCheck = (value) => {
  const known = (code: unknown): boolean => typeof code === "string" && code.startsWith("MODEL_") && Object.hasOwn(catalogue, code);
  return Array.isArray(value) && value.length > 0 && value.every(known) ? undefined : "a list of codes such as MODEL_SERVER";
};
