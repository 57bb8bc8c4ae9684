import { ToolError, ToolwrightError, type ToolContext } from "@toolwright/core";

/** How the API is called in messages. */
const api = "sample";
/** Real answers are far smaller; the bound keeps a wrong server from filling memory. */
const mostBytes = 2_000_000;

/** A secret, and where requests carry it. */
export interface SampleCredential {
  readonly in: "header" | "query";
  /** Of the header or the query parameter. */
  readonly name: string;
  /** `basic` takes "user:password". */
  readonly form: "plain" | "bearer" | "basic";
  readonly value: string | undefined;
}

export interface SampleClientOptions {
  /** Where the API is, e.g. `https://api.example.com/v1`. */
  readonly baseUrl: string;
  /** By their names in requests' `security`. */
  readonly credentials: Readonly<Record<string, SampleCredential>>;
}

/** A value of the query: a list is repeated or joined, `deep` writes `name[key]=value`. */
export type SampleQuery = readonly [name: string, value: unknown, style: "repeat" | "," | " " | "|" | "deep" | "json"];

export interface SampleRequest {
  readonly method: string;
  /** Below the base URL, its parts written by {@link segment}. */
  readonly path: string;
  readonly query?: readonly SampleQuery[] | undefined;
  readonly headers?: Readonly<Record<string, unknown>> | undefined;
  readonly body?: { readonly as: "json" | "form" | "text"; readonly mediaType: string; readonly value: unknown } | undefined;
  /** Ways to authenticate, of which one is enough; each names credentials. */
  readonly security?: readonly (readonly string[])[] | undefined;
}

const isRead = ({ method }: SampleRequest): boolean => ["GET", "HEAD", "OPTIONS"].includes(method);

/** One part of a path. A value that would lead to another path is refused. */
export function segment(name: string, value: unknown): string {
  const text = Array.isArray(value) ? value.map(String).join(",") : String(value);
  if (text === "" || text === "." || text === "..") {
    throw new ToolError({ code: "SAMPLE_ARGUMENT", message: `\`${name}\` must not be ${JSON.stringify(text)}.` });
  }
  return encodeURIComponent(text);
}

/** Sends requests to the API. Secrets are in no message, and are not printed. */
export class SampleClient {
  readonly #options: SampleClientOptions;

  constructor(options: SampleClientOptions) {
    this.#options = options;
  }

  /**
   * Sends a request, for as long as the call may take.
   *
   * @returns JSON as a value, text as it is, null for no content, and of anything else its type and length.
   * @throws Error when nobody knows whether a write was done: the outcome of the call is then `unknown`, and it is not repeated.
   * @throws ToolError otherwise, with `SAMPLE_HTTP_<status>`, `SAMPLE_UNREACHABLE`, `SAMPLE_TOO_LARGE`, `SAMPLE_CREDENTIALS`, `SAMPLE_BASE_URL`.
   */
  async send(request: SampleRequest, context: Pick<ToolContext, "signal">): Promise<unknown> {
    const credentials = this.#credentialsFor(request.security ?? []);
    const url = this.#urlOf(request, credentials);
    const headers = headersOf(request, credentials);
    try {
      // An answer must not lead elsewhere: the secrets are for this server.
      const response = await fetch(url, {
        method: request.method,
        headers,
        body: bodyOf(request),
        redirect: "error",
        signal: context.signal,
      });
      const bytes = await boundedBytes(response);
      if (response.ok && request.method === "HEAD") return { status: response.status, headers: Object.fromEntries(response.headers) };
      if (response.ok) return valueOf(response, bytes, isRead(request));
      throw this.#refusal(request, response.status, new TextDecoder().decode(bytes));
    } catch (cause) {
      if (context.signal.aborted) throw context.signal.reason;
      if (ToolwrightError.is(cause) && (isRead(request) || cause.code !== "SAMPLE_TOO_LARGE")) throw cause;
      const message = `${api} could not be reached, or the connection broke.`;
      throw isRead(request)
        ? new ToolError({ code: "SAMPLE_UNREACHABLE", message, retryable: true, cause })
        : new Error(message, { cause });
    }
  }

  #urlOf({ path, query = [] }: SampleRequest, credentials: readonly SampleCredential[]): URL {
    const text = `${this.#options.baseUrl.replace(/\/+$/, "")}${path}`;
    if (!URL.canParse(text)) throw new ToolError({ code: "SAMPLE_BASE_URL", message: `The app has not set where ${api} is.` });
    const url = new URL(text);
    for (const each of query) appendQuery(url.searchParams, each);
    for (const { in: place, name, value } of credentials) if (place === "query" && value !== undefined) url.searchParams.set(name, value);
    return url;
  }

  /** The first way for which the app has set every secret. */
  #credentialsFor(ways: readonly (readonly string[])[]): readonly SampleCredential[] {
    if (ways.length === 0) return [];
    for (const way of ways) {
      const found = way.map((name) => this.#options.credentials[name]);
      if (found.every((each) => each?.value !== undefined && each.value !== "")) return found.filter((each) => each !== undefined);
    }
    const names = ways.map((way) => way.join(" and ")).join(" or ");
    throw new ToolError({ code: "SAMPLE_CREDENTIALS", message: `The app has not configured ${names} for ${api}.` });
  }

  #refusal(request: SampleRequest, status: number, text: string): Error {
    // The text is the server's: one line, short, and it may repeat what it was sent.
    const said = this.#withoutSecrets(text).replaceAll(/\s+/g, " ").trim().slice(0, 300).toWellFormed();
    const message = `${api} refused the request (status ${status})${said === "" ? "." : `: ${said}`}`;
    const isUnsure = status >= 500 || status === 408;
    if (isUnsure && !isRead(request)) return new Error(message);
    return new ToolError({ code: `SAMPLE_HTTP_${status}`, message, retryable: isUnsure || status === 429 });
  }

  #withoutSecrets(text: string): string {
    const secrets = Object.values(this.#options.credentials).flatMap(({ value, form }) => {
      if (value === undefined || value === "") return [];
      return form === "basic" ? [base64(value), value, value.slice(value.indexOf(":") + 1)] : [value, encodeURIComponent(value)];
    });
    return secrets.filter((secret) => secret !== "").reduce((shown, secret) => shown.replaceAll(secret, "[secret]"), text);
  }
}

function appendQuery(search: URLSearchParams, [name, value, style]: SampleQuery): void {
  if (value === undefined || value === null) return;
  if (style === "json") search.append(name, JSON.stringify(value));
  else if (style === "deep") {
    for (const [key, inner] of Object.entries(value as object))
      if (inner !== undefined && inner !== null) search.append(`${name}[${key}]`, String(inner));
  } else if (!Array.isArray(value)) search.append(name, String(value));
  else if (style === "repeat") for (const each of value) search.append(name, String(each));
  else if (value.length > 0) search.append(name, value.map(String).join(style));
}

function headersOf({ headers = {}, body }: SampleRequest, credentials: readonly SampleCredential[]): Headers {
  const result = new Headers({ accept: "application/json, text/*;q=0.9, */*;q=0.1" });
  try {
    for (const [name, value] of Object.entries(headers)) {
      if (value !== undefined && value !== null) result.set(name, Array.isArray(value) ? value.map(String).join(",") : String(value));
    }
  } catch {
    throw new ToolError({ code: "SAMPLE_ARGUMENT", message: "A value has characters that a header cannot carry." });
  }
  if (body?.value !== undefined) result.set("content-type", body.mediaType);
  for (const { in: place, name, value = "", form } of credentials) {
    if (place !== "header") continue;
    try {
      result.set(name, form === "plain" ? value : form === "bearer" ? `Bearer ${value}` : `Basic ${base64(value)}`);
    } catch {
      // The error of `set` quotes the value.
      throw new ToolError({ code: "SAMPLE_CREDENTIALS", message: `A secret for ${api} has characters that a header cannot carry.` });
    }
  }
  return result;
}

const base64 = (text: string): string => Buffer.from(text, "utf8").toString("base64");

function bodyOf({ body }: SampleRequest): string | null {
  if (body?.value === undefined) return null;
  if (body.as === "json") return JSON.stringify(body.value);
  if (body.as === "text") return String(body.value);
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(body.value as object)) appendQuery(form, [name, value, "repeat"]);
  return form.toString();
}

async function boundedBytes(response: Response): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.byteLength;
    if (length > mostBytes) throw new ToolError({ code: "SAMPLE_TOO_LARGE", message: `${api} answered more than ${mostBytes} bytes.` });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function valueOf(response: Response, bytes: Uint8Array, isReading: boolean): unknown {
  if (bytes.byteLength === 0) return null;
  const type = response.headers.get("content-type") ?? "";
  const text = (): string => new TextDecoder().decode(bytes);
  if (/\bjson\b/i.test(type)) {
    try {
      return JSON.parse(text()) as unknown;
    } catch {
      // A write is done, whatever the answer says of it.
      if (!isReading) return text();
      throw new ToolError({ code: "SAMPLE_BAD_RESPONSE", message: `${api} answered something that is not JSON.`, retryable: true });
    }
  }
  if (type === "" || /^text\/|\bxml\b/i.test(type)) return text();
  return { contentType: type, bytes: bytes.byteLength };
}
