import type { LookingClient } from "./client.js";
import { requestError } from "./request-error.js";
import type { WireResponse } from "./response.js";

// Sent out before a program that was interrupted ends, and not waited for longer than this.
const cancelTimeoutMs = 10_000;

const pathOf = (id: string): string => `/responses/${encodeURIComponent(id)}`;

/** What is asked for about a response again and again, as the request that started it did. */
export interface Look {
  readonly id: string;
  readonly include: readonly string[] | undefined;
  readonly signal: AbortSignal;
}

/**
 * A response as it is now.
 *
 * @throws ToolwrightError `MODEL_…`.
 */
export async function lookAt(client: LookingClient, { id, include, signal }: Look): Promise<WireResponse> {
  try {
    const query = include === undefined ? {} : { include };
    const reply = await client.get(pathOf(id), { query, stream: false, signal, maxRetries: 0 });
    return (typeof reply === "object" && reply !== null ? reply : {}) as WireResponse;
  } catch (error) {
    throw requestError(error, signal);
  }
}

/**
 * The events of a response, from those after a number on.
 *
 * @throws ToolwrightError `MODEL_…`.
 */
export async function streamAgain(client: LookingClient, { id, include, signal }: Look, after: number | undefined): Promise<Response> {
  const query = { stream: true, ...(after !== undefined && { starting_after: after }), ...(include !== undefined && { include }) };
  try {
    return await client.get(pathOf(id), { query, stream: true, signal, maxRetries: 0 }).asResponse();
  } catch (error) {
    throw requestError(error, signal);
  }
}

/** Asks the server to give a response up. Never rejects, and keeps no process alive. */
export async function cancelResponse(client: LookingClient, id: string): Promise<void> {
  const options = {
    body: "{}",
    headers: { "content-type": "application/json" },
    stream: false,
    signal: AbortSignal.timeout(cancelTimeoutMs),
    maxRetries: 0 as const,
  };
  try {
    await client.post(`${pathOf(id)}/cancel`, options);
  } catch {
    // It may be done by now, or the server out of reach: nobody waits for the answer.
  }
}

/** Whether a response is still being made. */
export const isUnderWay = ({ status }: WireResponse): boolean => status === "queued" || status === "in_progress";
