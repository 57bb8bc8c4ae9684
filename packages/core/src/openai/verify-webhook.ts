import { ToolwrightError } from "../errors/toolwright-error.js";
import { type WebhookHeaders, type WebhookProblem, signedHeaders } from "./webhook-headers.js";

/** Events about a response in the background. `responseId` says which. */
export type ResponseWebhookType = "response.completed" | "response.failed" | "response.cancelled" | "response.incomplete";

/** What the API tells by a webhook. */
export interface WebhookEvent {
  /** Names the event, evt_…. */
  readonly id: string;
  readonly type: ResponseWebhookType | (string & {});
  /** Seconds since 1970. */
  readonly created_at: number;
  /** Ids of what it is about; the thing itself has to be fetched. */
  readonly data: { readonly id?: string | undefined; readonly [field: string]: unknown };
  /** Of an event about a response: for `background: { attach }`, or to fetch it. */
  readonly responseId: string | undefined;
  /** The same for each attempt to deliver: whoever has seen it leaves the event alone. */
  readonly webhookId: string;
}

/** A webhook as it came in. */
export interface VerifyWebhookOptions {
  /** The body byte for byte, as text or as bytes: JSON that was parsed and written again has another signature. */
  readonly body: string | Uint8Array | ArrayBuffer;
  /** The request's headers: an object as Node gives it, or `Headers`. */
  readonly headers: WebhookHeaders;
  /** The endpoint's secret, `whsec_…`; several while it is being changed. */
  readonly secret: string | readonly string[];
  /** How far the sender's clock and this one may be apart, either way. Default 300. */
  readonly toleranceSeconds?: number | undefined;
}

/**
 * Makes sure that the API has sent a webhook, by the scheme of Standard Webhooks: HMAC-SHA256 over id, time and body. An event
 * that was recorded by somebody and is sent again later is refused; one that is sent again at once is not: keep `webhookId`.
 *
 * @example
 * const event = await verifyWebhook({ body: await request.text(), headers: request.headers, secret });
 * if (event.type === "response.completed") await goOnWith(event.responseId);
 * @throws ToolwrightError `MODEL_WEBHOOK` with `details.reason` (`headers`, `timestamp`, `signature` or `body`); `RUN_OPTIONS` for a
 *   wrong option.
 */
export async function verifyWebhook(options: VerifyWebhookOptions): Promise<WebhookEvent> {
  const { toleranceSeconds = 300 } = options;
  if (!(Number.isFinite(toleranceSeconds) && toleranceSeconds >= 0))
    throw wrong(`\`toleranceSeconds\` is ${String(toleranceSeconds)}.`, "Pass seconds from 0.");
  const body = bytesOf(options.body);
  const keys = keysOf(options.secret);
  const { id, timestamp, signatures } = signedHeaders(options.headers, refused);
  assertRecent(timestamp, toleranceSeconds);
  const content = joined(new TextEncoder().encode(`${id}.${timestamp}.`), body);
  let isGenuine = false;
  // Each is compared with each: how long it takes tells nothing of which one fits.
  for (const key of keys) {
    const expected = await hmac(key, content);
    for (const signature of signatures) isGenuine = equals(signature, expected) || isGenuine;
  }
  if (!isGenuine) throw refused("signature", "The webhook's signature is not that of its body and this secret.");
  return eventOf(body, id);
}

function assertRecent(timestamp: string, tolerance: number): void {
  const age = Date.now() / 1000 - Number(timestamp);
  if (Math.abs(age) <= tolerance) return;
  const when = `${Math.round(Math.abs(age))} seconds ${age > 0 ? "ago" : "from now"}`;
  throw refused("timestamp", `The webhook was sent ${when}, and ${tolerance} are allowed.`);
}

async function hmac(key: Uint8Array<ArrayBuffer>, content: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const imported = await crypto.subtle.importKey("raw", key, algorithm, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", imported, content));
}

/** Compares all bytes, whatever the first ones are. */
function equals(left: Uint8Array, right: Uint8Array): boolean {
  if (left.length !== right.length) return false;
  let difference = 0;
  for (let index = 0; index < left.length; index += 1) difference |= (left[index] ?? 0) ^ (right[index] ?? 0);
  return difference === 0;
}

function joined(start: Uint8Array, rest: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(start.length + rest.length);
  whole.set(start);
  whole.set(rest, start.length);
  return whole;
}

function bytesOf(body: unknown): Uint8Array {
  if (typeof body === "string") return new TextEncoder().encode(body);
  if (body instanceof Uint8Array) return body;
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  throw wrong(
    `\`body\` is ${body === null ? "null" : typeof body}: it has been parsed, or not been read.`,
    'Pass the raw body as text or bytes, before anything parses it: `await request.text()`, or `express.raw({ type: "application/json" })`.',
  );
}

/** What is signed with: the bytes after `whsec_`, or the text itself. */
function keysOf(secret: unknown): readonly Uint8Array<ArrayBuffer>[] {
  const secrets: readonly unknown[] = Array.isArray(secret) ? secret : [secret];
  if (secrets.length === 0) throw wrong("There is no `secret`.", "Pass the secret of the webhook's endpoint, whsec_….");
  return secrets.map((each) => {
    if (typeof each !== "string" || each === "")
      throw wrong(`\`secret\` is ${each === "" ? "empty" : typeof each}.`, "Pass the secret of the webhook's endpoint, whsec_….");
    if (!each.startsWith("whsec_")) return new TextEncoder().encode(each);
    const bytes = Uint8Array.from(Buffer.from(each.slice("whsec_".length), "base64"));
    if (bytes.length === 0) throw wrong("`secret` has nothing after whsec_.", "Pass the secret of the webhook's endpoint whole.");
    return bytes;
  });
}

function eventOf(body: Uint8Array, webhookId: string): WebhookEvent {
  let event: unknown;
  try {
    event = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    event = undefined;
  }
  const { type, data } = (typeof event === "object" && event !== null ? event : {}) as { readonly type?: unknown; readonly data?: unknown };
  if (typeof type !== "string") throw refused("body", "The webhook is signed, but its body is no event.");
  const fields = (typeof data === "object" && data !== null ? data : {}) as WebhookEvent["data"];
  const responseId = type.startsWith("response.") && typeof fields.id === "string" ? fields.id : undefined;
  return { ...(event as WebhookEvent), data: fields, responseId, webhookId };
}

function refused(reason: WebhookProblem, message: string): ToolwrightError {
  return new ToolwrightError("MODEL_WEBHOOK", message, { details: { reason } });
}

const wrong = (message: string, fix: string): ToolwrightError => new ToolwrightError("RUN_OPTIONS", message, { fix });
