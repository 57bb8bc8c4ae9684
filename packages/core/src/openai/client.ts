import { ToolwrightError } from "../errors/toolwright-error.js";

/** What the adapter hands to a client's `post`. */
export interface ResponsesRequestOptions {
  readonly body: string;
  readonly headers: Record<string, string>;
  readonly stream: boolean;
  readonly signal: AbortSignal;
  readonly maxRetries: 0;
}

/** What the adapter hands to a client's `get`. */
export interface ResponsesGetOptions {
  readonly query: Record<string, unknown>;
  readonly stream: boolean;
  readonly signal: AbortSignal;
  readonly maxRetries: 0;
}

/** An answer as a client gives it: awaited, its JSON. */
export type ResponsesReply = PromiseLike<unknown> & { asResponse(): Promise<Response> };

/** The least that a client must have: an `OpenAI` or `AzureOpenAI` object has it. */
export interface ResponsesClient {
  post(path: string, options: ResponsesRequestOptions): ResponsesReply;
  /** Needed for background responses alone. */
  get?(path: string, options: ResponsesGetOptions): ResponsesReply;
}

/** A client that can also look at a response that was started before. */
export type LookingClient = ResponsesClient & Required<Pick<ResponsesClient, "get">>;

/** @throws ToolwrightError `RUN_OPTIONS` for a client that cannot. */
export function lookingClient(client: ResponsesClient): LookingClient {
  if (typeof client.get === "function") return client as LookingClient;
  throw new ToolwrightError("RUN_OPTIONS", "`client` has no method `get`, by which background responses are looked at.", {
    fix: "Pass `new OpenAI({ apiKey })`, or leave `background` out.",
  });
}

/** The default client, from OPENAI_API_KEY and its fellows. The package is loaded here, at the first model call. */
export async function defaultClient(): Promise<ResponsesClient> {
  let module: { OpenAI: new (options: object) => ResponsesClient };
  try {
    // Structurally the same; its own types know a wider `post`.
    module = (await import("openai")) as unknown as typeof module;
  } catch (error) {
    throw new ToolwrightError("MODEL_MISSING_PACKAGE", "The package `openai` is not installed.", { cause: error });
  }
  if (!process.env["OPENAI_API_KEY"]) {
    throw new ToolwrightError("MODEL_NO_API_KEY", "There is no API key for the model.");
  }
  return new module.OpenAI({ maxRetries: 0 });
}
