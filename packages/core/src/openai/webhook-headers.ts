/** Headers as a server has them: by name in lower case or not, one value or several. */
export type WebhookHeaders = { get(name: string): string | null } | { readonly [name: string]: string | readonly string[] | undefined };

/** What can be wrong with a webhook. */
export type WebhookProblem = "headers" | "timestamp" | "signature" | "body";

/** What of the headers is signed, and the signatures. */
export interface SignedHeaders {
  readonly id: string;
  /** Seconds since 1970, as they stand there. */
  readonly timestamp: string;
  /** Of the kind `v1`, decoded. */
  readonly signatures: readonly Uint8Array[];
}

/** More are none that an honest sender has. */
const mostSignatures = 32;
const signatureBytes = 32;

/** Reads the three headers of Standard Webhooks. */
export function signedHeaders(headers: WebhookHeaders, refused: (reason: WebhookProblem, message: string) => Error): SignedHeaders {
  const header = (name: string): string => {
    const value = valueOf(headers, name);
    if (value === undefined || value === "") throw refused("headers", `The webhook has no header ${name}.`);
    return value;
  };
  const id = header("webhook-id");
  const timestamp = header("webhook-timestamp");
  const list = header("webhook-signature").split(" ");
  if (!/^\d{1,12}$/.test(timestamp)) throw refused("timestamp", "The webhook's timestamp is no number of seconds.");
  if (list.length > mostSignatures) throw refused("signature", `The webhook has more than ${mostSignatures} signatures.`);
  // Other kinds, such as those of a public key, are for others.
  const signatures = list
    .filter((entry) => entry.startsWith("v1,"))
    .map((entry) => Buffer.from(entry.slice("v1,".length), "base64"))
    .filter(({ length }) => length === signatureBytes);
  if (signatures.length === 0) throw refused("signature", "The webhook has no signature of the kind v1.");
  return { id, timestamp, signatures };
}

function valueOf(headers: WebhookHeaders, name: string): string | undefined {
  if (typeof headers !== "object" || headers === null) return undefined;
  if (typeof headers.get === "function") return headers.get(name) ?? undefined;
  const entry = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1] as unknown;
  const value: unknown = Array.isArray(entry) ? entry.join(" ") : entry;
  return typeof value === "string" ? value : undefined;
}
