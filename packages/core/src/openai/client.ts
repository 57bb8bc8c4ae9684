import { ToolwrightError } from "../errors/toolwright-error.js";

/** What the adapter hands to a client's `post`. */
export interface ResponsesRequestOptions {
  readonly body: string;
  readonly headers: Record<string, string>;
  readonly stream: boolean;
  readonly signal: AbortSignal;
  readonly maxRetries: 0;
}

/** The least that a client must have: an `OpenAI` or `AzureOpenAI` object has it. */
export interface ResponsesClient {
  post(path: string, options: ResponsesRequestOptions): PromiseLike<unknown> & { asResponse(): Promise<Response> };
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
