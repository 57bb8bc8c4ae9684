import { ToolwrightError } from "../errors/toolwright-error.js";
import type { Background } from "./background-options.js";
import type { LookingClient } from "./client.js";
import { pause } from "./pause.js";
import type { WireResponse } from "./response.js";
import { isUnderWay, type Look, lookAt } from "./stored-response.js";

/** Looks that may fail in a row: with the waits between them, a server or a network is out of reach for about a minute. */
const patience = 8;
const growth = 1.5;

/**
 * Looks at a response until it is at its end, less and less often.
 *
 * @throws ToolwrightError as {@link lookPatiently} does.
 */
export async function pollResponse(client: LookingClient, look: Look, options: Background): Promise<WireResponse> {
  for (let waitMs = options.pollMs; ; waitMs = Math.min(waitMs * growth, options.maxPollMs)) {
    await pause(waitMs, look.signal);
    const response = await lookPatiently(client, look, options);
    if (!isUnderWay(response)) return response;
  }
}

/**
 * A response as it is now. A look that fails for a passing reason is repeated, since a look changes nothing.
 *
 * @throws ToolwrightError `MODEL_…` with `details.responseId`; the same request, repeated, goes on with the same response.
 */
export async function lookPatiently(client: LookingClient, look: Look, options: Background): Promise<WireResponse> {
  for (let failures = 0, waitMs = options.pollMs; ; waitMs = Math.min(waitMs * growth, options.maxPollMs)) {
    try {
      return await lookAt(client, look);
    } catch (error) {
      const failure = error as ToolwrightError; // looks throw nothing else
      failures += 1;
      if (look.signal.aborted || !failure.retryable || failures > patience) throw withResponseId(failure, look.id);
      await pause(Math.max(waitMs, Number(failure.details["retryAfterMs"] ?? 0)), look.signal);
    }
  }
}

/** The same error, which says whose it is. */
function withResponseId(error: ToolwrightError, responseId: string): ToolwrightError {
  if (error.code === "RUN_ABORTED") return error;
  const [message = ""] = error.message.split("\nFix: ");
  const { cause, retryable, details, fix } = error;
  const rest = retryable ? ` The response ${responseId} may still be under way.` : ` It was asked for the response ${responseId}.`;
  return new ToolwrightError(error.code, message + rest, { cause, retryable, fix, details: { ...details, responseId } });
}
