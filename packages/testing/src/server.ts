import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { ApiError } from "./api-error.js";
import { sendJson, sendRefusal, type Exchange } from "./exchange.js";
import { RequestRecord, type RecordedRequest } from "./recorded-request.js";
import { isCreateResponse, route, type RouterContext } from "./router.js";
import { ScriptRunner, type Script } from "./script.js";
import { Store } from "./store.js";

/** What `assertDone` overlooks. */
export interface AssertDoneOptions {
  /** Requests that the server refused. */
  readonly allowRefusals?: boolean | undefined;
  /** Replies that no request used. */
  readonly allowUnused?: boolean | undefined;
}

/** How a stand-in server is started. */
export interface ResponsesServerOptions extends AssertDoneOptions {
  /** The only key that is accepted. Default: any. */
  readonly apiKey?: string | undefined;
  /** Conversations that exist from the start, by id. Others are made by `POST /conversations`. */
  readonly conversations?: readonly string[] | undefined;
  /** False switches off the checks of the request's content, to stand in for a lenient server. Default true. */
  readonly checks?: boolean | undefined;
  /** False takes any `encrypted_content` for genuine, for histories written by hand. Default true. */
  readonly verifyEncryptedContent?: boolean | undefined;
}

/** A Responses API on this machine that follows a script. */
export interface ResponsesServer {
  /** For `baseURL`; ends in `/v1`. */
  readonly url: string;
  /** Every `POST /responses`, retries and refused ones included, in the order of arrival. */
  readonly requests: readonly RecordedRequest[];
  /** Every other request. */
  readonly otherRequests: readonly RecordedRequest[];
  /** One of {@link requests}. @throws if it has not come in. */
  request(index: number): RecordedRequest;
  /** Waits for a request to come in. */
  waitForRequest(index: number): Promise<RecordedRequest>;
  /** @throws if replies were not used, requests came after the last reply, or the server refused one or failed. Names each. */
  assertDone(options?: AssertDoneOptions): void;
  /** Closes every connection. Can be called twice. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts a stand-in for the Responses API: real HTTP on 127.0.0.1, JSON and server-sent events. It refuses what the real
 * API refuses, with its status, message, `param` and code, and keeps responses and conversations between requests.
 *
 * A refused request uses no reply of the script.
 *
 * @example
 * await using server = await startResponsesServer([reply.text("Hello.")]);
 * const client = new OpenAI({ baseURL: server.url, apiKey: "test" });
 */
export async function startResponsesServer(script: Script, options: ResponsesServerOptions = {}): Promise<ResponsesServer> {
  const server = new StandInServer(script, options);
  await server.listen();
  return server;
}

class StandInServer implements ResponsesServer {
  readonly requests: RequestRecord[] = [];
  readonly otherRequests: RequestRecord[] = [];
  readonly #server: Server;
  readonly #script: ScriptRunner;
  readonly #context: RouterContext;
  readonly #options: ResponsesServerOptions;
  readonly #failures: string[] = [];
  readonly #closing = new AbortController();
  readonly #waiting: {
    readonly index: number;
    readonly resolve: (request: RecordedRequest) => void;
    readonly reject: (error: Error) => void;
  }[] = [];
  #url = "";

  constructor(script: Script, options: ResponsesServerOptions) {
    const store = new Store();
    for (const id of options.conversations ?? []) store.createConversation([], {}, id);
    const checks = { checks: options.checks ?? true, verifyEncryptedContent: options.verifyEncryptedContent ?? true };
    this.#options = options;
    this.#script = new ScriptRunner(script);
    this.#context = { store, script: this.#script, checks, apiKey: options.apiKey };
    this.#server = createServer((request, response) => void this.#handle(request, response));
  }

  get url(): string {
    return this.#url;
  }

  async listen(): Promise<void> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    const { port } = this.#server.address() as AddressInfo; // a TCP server's address is never a string
    this.#url = `http://127.0.0.1:${port}/v1`;
  }

  request(index: number): RecordedRequest {
    const found = this.requests[index];
    if (found === undefined) throw new RangeError(`There is no request ${index}: ${this.requests.length} came in, counted from 0.`);
    return found;
  }

  waitForRequest(index: number): Promise<RecordedRequest> {
    const found = this.requests[index];
    if (found !== undefined) return Promise.resolve(found);
    return new Promise((resolve, reject) => this.#waiting.push({ index, resolve, reject }));
  }

  assertDone(options: AssertDoneOptions = {}): void {
    const { allowRefusals, allowUnused } = { ...this.#options, ...options };
    const refused = [...this.requests, ...this.otherRequests].filter((request) => request.refusal !== undefined);
    const problems = [
      ...(allowUnused === true ? [] : this.#script.unused()),
      ...this.#script.beyond().map((index) => `request ${index} came after the last reply`),
      ...(allowRefusals === true
        ? []
        : refused.map((request) => `${nameOf(request)} was refused with ${request.refusal?.status}: ${request.refusal?.message}`)),
      ...this.#failures,
    ];
    if (problems.length > 0)
      throw new Error(`The Responses server's script was not followed:\n${problems.map((problem) => `- ${problem}`).join("\n")}`);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    for (const { index, reject } of this.#waiting.splice(0)) reject(new Error(`The server was closed before request ${index} came in.`));
    if (!this.#server.listening) return;
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const bytes = await readBytes(request);
    // A client that goes away in mid request has sent none.
    if (bytes === undefined) return;
    const record = this.#record(request, bytes);
    const departure = new AbortController();
    let cut = false;
    response.once("close", () => {
      const ownDoing = cut || this.#closing.signal.aborted;
      record.settle(response.writableFinished ? "finished" : ownDoing ? "cut" : "aborted");
      departure.abort();
    });
    const destroy = (): void => {
      cut = true;
      response.destroy();
    };
    const exchange: Exchange = { record, request, response, destroy, gone: AbortSignal.any([departure.signal, this.#closing.signal]) };
    try {
      await route(exchange, this.#context);
    } catch (error) {
      this.#fail(exchange, error);
    }
  }

  #record(request: IncomingMessage, bytes: Buffer): RequestRecord {
    const method = request.method ?? "GET";
    const path = request.url ?? "/";
    const list = isCreateResponse(method, path) ? this.requests : this.otherRequests;
    const record = new RequestRecord(list.length, method, path, request.headers, bytes);
    list.push(record);
    if (list !== this.requests) return record;
    const ready = this.#waiting.filter(({ index }) => index < list.length);
    for (const waiting of ready) {
      this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
      waiting.resolve(list[waiting.index] ?? record);
    }
    return record;
  }

  #fail(exchange: Exchange, error: unknown): void {
    const { record, response } = exchange;
    if (error instanceof ApiError) return sendRefusal(exchange, error);
    const message = error instanceof Error ? error.message : String(error);
    this.#failures.push(`${nameOf(record)}: the script threw: ${message}`);
    if (response.headersSent) exchange.destroy();
    else
      sendJson(
        exchange,
        500,
        { error: { message: `The script threw: ${message}`, type: "server_error", param: null, code: "script_failed" } },
        { "x-should-retry": "false" },
      );
  }
}

const nameOf = (request: RecordedRequest): string =>
  isCreateResponse(request.method, request.path) ? `request ${request.index}` : `${request.method} ${request.path}`;

async function readBytes(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer); // no encoding is set, so chunks are buffers
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks);
}
