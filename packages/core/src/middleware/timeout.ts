import type { Middleware, ToolCall } from "../contracts/middleware.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { askedModel } from "./asked-model.js";
import { deadline, timeLimit } from "./deadline.js";
import { checkOption, checkOptions, type OptionCheck } from "./options.js";

/** Options of {@link timeout}: any of the limits, but at least one. */
export interface TimeoutOptions {
  /** Milliseconds that one request to a model may take, from when it is made until its reply is complete. */
  readonly modelMs?: number | undefined;
  /** Milliseconds that one attempt of any tool may take. A tool's own `timeoutMs` holds where it is less. */
  readonly toolMs?: number | undefined;
  /** The same for single tools, by name, in the place of `toolMs`. */
  readonly tools?: { readonly [name: string]: number } | undefined;
}

/**
 * Ends requests and tool calls that take too long. A request fails with `MODEL_TIMEOUT`, which `modelRetry` repeats: it
 * stands inside of that, so that each attempt has its own time. A tool is told by its `context.signal`; its call then is
 * as if the tool's own time were over: `failed`, or `unknown` for a write.
 *
 * @throws ToolwrightError `RUN_OPTIONS` for a wrong option.
 */
export function timeout(options: TimeoutOptions): Middleware {
  checkTimeout(options);
  const { modelMs, toolMs } = options;
  const tools = new Map(Object.entries(options.tools ?? {}));
  const tooLate = (model: string): ToolwrightError =>
    new ToolwrightError("MODEL_TIMEOUT", `The model ${model} did not answer within ${modelMs} ms.`, {
      fix: "Raise `modelMs` of timeout(), or ask for less.",
      details: { limitMs: modelMs },
    });
  return {
    name: "timeout",
    kind: "timeout",
    options: {
      ...(modelMs === undefined ? {} : { modelMs }),
      ...(toolMs === undefined ? {} : { toolMs }),
      ...(tools.size === 0 ? {} : { tools: Object.fromEntries(tools) }),
    },
    ...(modelMs === undefined
      ? {}
      : {
          // Outside of these it would end all attempts, or the wait before them, instead of one request.
          order: { inside: ["modelRetry", "fallback", "rateLimit"] },
          async wrapModelCall(call, next) {
            const limit = deadline(modelMs, call.signal, () => tooLate(askedModel(call)));
            try {
              return await next({ ...call, signal: limit.signal });
            } finally {
              limit.clear();
            }
          },
        }),
    ...(toolMs === undefined && tools.size === 0
      ? {}
      : { wrapToolCall: (call, next) => next(sooner(call, tools.get(call.name) ?? toolMs)) }),
  };
}

/** The call with less time, if it is less. */
function sooner(call: ToolCall, limitMs: number | undefined): ToolCall {
  const present = call.timeoutMs ?? call.tool?.timeoutMs ?? 0;
  return limitMs !== undefined && limitMs < present ? { ...call, timeoutMs: limitMs } : call;
}

const byName: OptionCheck = (value) =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? undefined : "an object of milliseconds by tool name";

function checkTimeout(options: TimeoutOptions): void {
  checkOptions("timeout", options, { modelMs: timeLimit, toolMs: timeLimit, tools: byName });
  const { modelMs, toolMs, tools = {} } = options;
  for (const [name, limitMs] of Object.entries(tools)) checkOption("timeout", `tools[${JSON.stringify(name)}]`, limitMs, timeLimit);
  if (modelMs !== undefined || toolMs !== undefined || Object.keys(tools).length > 0) return;
  throw new ToolwrightError("RUN_OPTIONS", "timeout() limits nothing.", {
    fix: "Give one of modelMs, toolMs, tools. For the whole run there is the agent's own `timeoutMs`.",
  });
}
