import type { Model, ModelCallOptions, ModelRequest, ModelResponse } from "../contracts/model.js";
import { type ResponsesClient, defaultClient } from "./client.js";
import { requestError } from "./request-error.js";
import { requestBody } from "./request-body.js";
import { completedResponse, tellWhole } from "./response.js";
import { readStream } from "./read-stream.js";

/** Options of {@link openaiModel}. */
export interface OpenAIModelOptions {
  /** Default: `new OpenAI()` from the package `openai`, made at the first call. */
  readonly client?: ResponsesClient | undefined;
  /** `"sse"` streams in `run()` too: for slow models, whose plain reply dies at the runtime's 300 s header limit. Default `"auto"`. */
  readonly transport?: "auto" | "sse" | undefined;
}

/**
 * A model behind OpenAI's Responses API, or a server that speaks it.
 *
 * @param name - the model's name, e.g. `"gpt-5.4-mini"`.
 */
export function openaiModel(name: string, options: OpenAIModelOptions = {}): Model {
  let client: Promise<ResponsesClient> | undefined = options.client === undefined ? undefined : Promise.resolve(options.client);
  return {
    name,
    async respond(request, callOptions) {
      // Kept only when it worked, so that a key set later is found.
      const ready = await (client ??= defaultClient().catch((error: unknown) => {
        client = undefined;
        throw error;
      }));
      const stream = callOptions.stream || options.transport === "sse";
      return stream ? streamed(ready, name, request, callOptions) : whole(ready, name, request, callOptions);
    },
  };
}

async function whole(client: ResponsesClient, name: string, request: ModelRequest, options: ModelCallOptions): Promise<ModelResponse> {
  const body = requestBody(name, request, false);
  let reply: unknown;
  try {
    reply = await client.post("/responses", postOptions(body, false, options.signal));
  } catch (error) {
    throw requestError(error, options.signal);
  }
  const response = completedResponse(reply);
  await tellWhole(response, options);
  return response;
}

async function streamed(client: ResponsesClient, name: string, request: ModelRequest, options: ModelCallOptions): Promise<ModelResponse> {
  const body = requestBody(name, request, true);
  let reply: Response;
  try {
    reply = await client.post("/responses", postOptions(body, true, options.signal)).asResponse();
  } catch (error) {
    throw requestError(error, options.signal);
  }
  return readStream(reply, options);
}

function postOptions(body: string, stream: boolean, signal: AbortSignal) {
  // Retries belong to the pipeline: here one call is one request.
  return { body, headers: { "content-type": "application/json" }, stream, signal, maxRetries: 0 as const };
}
