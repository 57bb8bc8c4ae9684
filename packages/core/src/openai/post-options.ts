import type { ResponsesRequestOptions } from "./client.js";

/** The options of a request that starts a response. */
export function postOptions(body: string, stream: boolean, signal: AbortSignal): ResponsesRequestOptions {
  // Retries belong to the pipeline: here one call is one request.
  return { body, headers: { "content-type": "application/json" }, stream, signal, maxRetries: 0 };
}
