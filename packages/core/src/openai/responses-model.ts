import type { Model, ModelCallOptions, ModelRequest, ModelResponse } from "../contracts/model.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { secretsIn } from "../errors/secret-fields.js";
import { withoutSecrets } from "../errors/without-secrets.js";
import { type Background, backgroundOf, type BackgroundOptions } from "./background-options.js";
import { respondInBackground } from "./background.js";
import { type ResponsesClient, defaultClient, lookingClient } from "./client.js";
import { postOptions } from "./post-options.js";
import { assertProviderTakes, type Provider, providers } from "./providers.js";
import { tellWhole } from "../run/history-deltas.js";
import { requestError } from "./request-error.js";
import { includedFields, requestBody } from "./request-body.js";
import { completedResponse } from "./response.js";
import { readStream } from "./read-stream.js";

/** Options of {@link openaiModel}. */
export interface OpenAIModelOptions {
  /** Default: `new OpenAI()` from the package `openai`, made at the first call. */
  readonly client?: ResponsesClient | undefined;
  /** `"sse"` streams in `run()` too: for slow models, whose plain reply dies at the runtime's 300 s header limit. Default `"auto"`. */
  readonly transport?: "auto" | "sse" | undefined;
  /** Which server it is: what it is known to refuse is refused before it is sent. Default `"openai"`. */
  readonly provider?: Provider | undefined;
  /**
   * Has each response made in the background, where no connection has to stand until it is done: it is looked at until it is,
   * or followed by its events over lost connections. The server then stores it, whoever keeps the history. Default false.
   */
  readonly background?: boolean | BackgroundOptions | undefined;
  /** Milliseconds a stream may be silent, keepalives included, before it is given up with `MODEL_TIMEOUT`. Default 300 000. */
  readonly streamIdleMs?: number | undefined;
}

/**
 * A model behind OpenAI's Responses API, or a server that speaks it.
 *
 * @param name - the model's name, e.g. `"gpt-5.4-mini"`.
 * @throws ToolwrightError `RUN_OPTIONS` for a wrong option.
 */
export function openaiModel(name: string, options: OpenAIModelOptions = {}): Model {
  const { provider = "openai", transport = "auto", streamIdleMs = 300_000 } = options;
  oneOf("provider", provider, providers);
  oneOf("transport", transport, ["auto", "sse"]);
  if (!(Number.isInteger(streamIdleMs) && streamIdleMs > 0 && streamIdleMs < 2 ** 31)) {
    throw new ToolwrightError("RUN_OPTIONS", `\`streamIdleMs\` is ${String(streamIdleMs)}.`, { fix: "Pass whole milliseconds from 1." });
  }
  if (options.client !== undefined && typeof (options.client as Partial<ResponsesClient> | null)?.post !== "function") {
    throw new ToolwrightError("RUN_OPTIONS", "`client` has no method `post`, so it is no client of the API.", {
      fix: "Pass `new OpenAI({ apiKey })`.",
    });
  }
  const background = backgroundOf(options.background);
  if (background !== undefined && options.client !== undefined) lookingClient(options.client);
  let client: Promise<ResponsesClient> | undefined = options.client === undefined ? undefined : Promise.resolve(options.client);
  return {
    name,
    async respond(request, callOptions) {
      assertProviderTakes(provider, request, background !== undefined);
      // Kept only when it worked, so that a key set later is found.
      const ready = await (client ??= defaultClient().catch((error: unknown) => {
        client = undefined;
        throw error;
      }));
      // What is made later is not streamed.
      const canStream = background === undefined || background.completionWindow === "soonest";
      const stream = canStream && (callOptions.stream || transport === "sse");
      const body = bodyOf(name, request, stream, provider, background);
      try {
        if (background === undefined)
          return await (stream ? streamed(ready, body, callOptions, streamIdleMs) : whole(ready, body, callOptions));
        const include = includedFields(request, provider);
        return await respondInBackground(
          { client: lookingClient(ready), request, body, include, stream, streamIdleMs, background },
          callOptions,
        );
      } catch (error) {
        // A server may say again what it was sent.
        throw withoutSecrets(error, secretsIn(request.tools));
      }
    },
  };
}

function bodyOf(name: string, request: ModelRequest, stream: boolean, provider: Provider, background: Background | undefined): string {
  try {
    return requestBody(name, request, stream, provider, background);
  } catch (error) {
    if (ToolwrightError.is(error)) throw error;
    throw new ToolwrightError(
      "RUN_OPTIONS",
      "The request cannot be written as JSON: an item, a setting or a tool holds something that is no data.",
      {
        cause: error,
        fix: "Pass plain data in `input`, `history` and `settings`; look at middlewares that change the request.",
      },
    );
  }
}

function oneOf(option: string, value: string, known: readonly string[]): void {
  if (known.includes(value)) return;
  throw new ToolwrightError("RUN_OPTIONS", `\`${option}\` is ${JSON.stringify(value)}.`, { fix: `Use one of ${known.join(", ")}.` });
}

async function whole(client: ResponsesClient, body: string, options: ModelCallOptions): Promise<ModelResponse> {
  let reply: unknown;
  try {
    reply = await client.post("/responses", postOptions(body, false, options.signal));
  } catch (error) {
    throw requestError(error, options.signal);
  }
  const response = completedResponse(reply);
  await tellWhole(response, options.onDelta);
  return response;
}

async function streamed(client: ResponsesClient, body: string, options: ModelCallOptions, idleMs: number): Promise<ModelResponse> {
  let reply: Response;
  try {
    reply = await client.post("/responses", postOptions(body, true, options.signal)).asResponse();
  } catch (error) {
    throw requestError(error, options.signal);
  }
  return readStream(reply, options, idleMs);
}
