import type { Middleware, ToolCall } from "../contracts/middleware.js";
import type { ToolOutcome } from "../contracts/outcome.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { askedModel } from "./asked-model.js";
import { type AttemptEnd, Circuit, type CircuitOptions } from "./circuit.js";
import { timeLimit } from "./deadline.js";
import { boolean, checkOptions, positiveInteger } from "./options.js";

/** Options of {@link circuitBreaker}. */
export interface CircuitBreakerOptions {
  /** Failures with no success between them that open a circuit. Default 5. */
  readonly failures?: number | undefined;
  /** The time within which they count, in milliseconds. Default 60,000. */
  readonly windowMs?: number | undefined;
  /** How long a circuit stays open before one request may try again, in milliseconds. Default 30,000. */
  readonly cooldownMs?: number | undefined;
  /** Whether each tool that is declared a read has a circuit too. Default false. */
  readonly tools?: boolean | undefined;
}

/**
 * Stops asking a model, or a tool, that keeps failing. While its circuit is open, a request fails at once with
 * `MODEL_CIRCUIT_OPEN`; when the cooldown is over, one request is let through to see. Give one and the same
 * `circuitBreaker()` to all agents that ask the same server: what one of them learns holds for all.
 *
 * Counted are errors that tell of the server's state: server errors, broken connections, timeouts, streams that end early.
 * Neither refusals such as a bad request or a rate limit are, nor aborts. With `tools`, failures count that may pass; a
 * call of a tool whose circuit is open is `failed` with `TOOL_CIRCUIT_OPEN` and not repeated. Writes have no circuit.
 *
 * @throws ToolwrightError `RUN_OPTIONS` for a wrong option; in a run, `MODEL_CIRCUIT_OPEN` with `details.retryAfterMs`.
 */
export function circuitBreaker(options: CircuitBreakerOptions = {}): Middleware {
  checkOptions("circuitBreaker", options, { failures: positiveInteger, windowMs: timeLimit, cooldownMs: timeLimit, tools: boolean });
  const { failures = 5, windowMs = 60_000, cooldownMs = 30_000, tools = false } = options;
  const limits: CircuitOptions = { failures, windowMs, cooldownMs };
  const ofModel = circuits(limits);
  const ofTool = circuits(limits);
  return {
    name: "circuitBreaker",
    kind: "circuitBreaker",
    options: { failures, windowMs, cooldownMs, tools },
    // Each repeat tells of the server too, and `fallback` must be told that this model is not asked.
    order: { inside: ["fallback", "modelRetry"] },
    ...(tools ? { traits: ["answers-tool"] as const } : {}),
    async wrapModelCall(call, next, { signal }) {
      const model = askedModel(call);
      const attempt = ofModel(model).enter();
      if ("retryAfterMs" in attempt) throw modelOpen(model, attempt.retryAfterMs);
      let end: AttemptEnd = "unclear";
      try {
        const response = await next(call);
        end = "ok";
        return response;
      } catch (error) {
        if (!signal.aborted) end = endOf(error);
        throw error;
      } finally {
        attempt.end(end);
      }
    },
    ...(tools ? { wrapToolCall: (call, next) => guardTool(call, next, ofTool) } : {}),
  };
}

async function guardTool(
  call: ToolCall,
  next: (call: ToolCall) => Promise<ToolOutcome>,
  circuitOf: (name: string) => Circuit,
): Promise<ToolOutcome> {
  const { tool } = call;
  if (tool === undefined || tool.effect !== "read" || call.issues !== undefined) return next(call);
  // Two objects of one class may work with different remotes; their tools then have different names.
  const attempt = circuitOf(`${tool.name} ${tool.identity}`).enter();
  if ("retryAfterMs" in attempt) return toolOpen(tool.name);
  let end: AttemptEnd = "unclear";
  try {
    const outcome = await next(call);
    end = toolEnd(outcome);
    return outcome;
  } finally {
    attempt.end(end);
  }
}

function circuits(options: CircuitOptions): (name: string) => Circuit {
  const known = new Map<string, Circuit>();
  return (name) => {
    let circuit = known.get(name);
    if (circuit === undefined) known.set(name, (circuit = new Circuit(options)));
    return circuit;
  };
}

const serverTrouble: readonly string[] = ["MODEL_CONNECTION", "MODEL_SERVER", "MODEL_STREAM_ENDED", "MODEL_TIMEOUT"];
/** The server has looked at the request, so that it is there. */
const serverAnswers: readonly string[] = [
  "MODEL_AUTHENTICATION",
  "MODEL_BAD_REQUEST",
  "MODEL_CONFLICT",
  "MODEL_INCOMPLETE",
  "MODEL_NOT_FOUND",
  "MODEL_QUOTA",
];

function endOf(error: unknown): AttemptEnd {
  if (!ToolwrightError.is(error)) return "unclear";
  if (serverTrouble.includes(error.code)) return "failed";
  if (error.code === "MODEL_FAILED") return error.details["code"] === "server_error" ? "failed" : "ok";
  return serverAnswers.includes(error.code) ? "ok" : "unclear";
}

function toolEnd(outcome: ToolOutcome): AttemptEnd {
  if (outcome.kind === "ok") return "ok";
  if (outcome.kind !== "failed" || outcome.error.code === "TOOL_ABORTED") return "unclear";
  // What may not pass, such as "there is no such city", is an answer.
  return outcome.error.retryable ? "failed" : "ok";
}

function modelOpen(model: string, retryAfterMs: number): ToolwrightError {
  return new ToolwrightError(
    "MODEL_CIRCUIT_OPEN",
    `The model ${model} has failed too often, so it is not asked for another ${retryAfterMs} ms.`,
    {
      details: { model, retryAfterMs },
    },
  );
}

function toolOpen(tool: string): ToolOutcome {
  const message = `${tool} has failed too often, so for a while it is not called. Go on without it, or tell the user.`;
  return { kind: "failed", error: { code: "TOOL_CIRCUIT_OPEN", message, retryable: false } };
}
