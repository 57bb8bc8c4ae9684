import type { IncomingHttpHeaders } from "node:http";
import { ApiError } from "../api-error.js";
import { isRecord, type JsonRecord } from "../json-record.js";

/** Refuses a request without a key, or with another one than the server was started with. */
export function checkAuthorization(headers: IncomingHttpHeaders, apiKey: string | undefined): void {
  const [, key] = /^Bearer (.+)$/.exec(headers.authorization ?? "") ?? [];
  if (key === undefined) {
    throw new ApiError(
      "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY).",
      {
        status: 401,
      },
    );
  }
  if (apiKey !== undefined && key !== apiKey) {
    const shown = key.length > 8 ? `${key.slice(0, 4)}****${key.slice(-4)}` : "****";
    throw new ApiError(`Incorrect API key provided: ${shown}.`, { status: 401, code: "invalid_api_key" });
  }
}

/** Reads a JSON object from a request's bytes. Refuses other content types, bytes that are no UTF-8, and lone surrogates. */
export function readJsonBody(bytes: Uint8Array, contentType: string | undefined): JsonRecord {
  if (!/^application\/json\b/i.test(contentType ?? "")) {
    const message = `Unsupported content type: '${contentType ?? ""}'. This API method only accepts 'application/json' requests, but you specified the header 'Content-Type: ${contentType ?? ""}'. Please try again with a supported content type.`;
    throw new ApiError(message, { code: "unsupported_content_type" });
  }
  let value: unknown;
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    value = JSON.parse(text);
  } catch (error) {
    throw invalidJson(error instanceof Error ? error.message : "not JSON");
  }
  // An escape such as \ud83d that has no partner is lawful JSON in JavaScript, and in few other places.
  if (/\\u[dD][89a-fA-F]/.test(text) && !isWellFormed(value)) throw invalidJson("a string holds a lone surrogate");
  if (!isRecord(value)) throw invalidJson("the body is not an object");
  return value;
}

const invalidJson = (reason: string): ApiError =>
  new ApiError(
    `Invalid body: failed to parse JSON value. Please check the value to ensure it is valid JSON. (Common errors include trailing commas, missing closing brackets, missing quotation marks, etc.) Reason: ${reason}.`,
    { code: "invalid_json" },
  );

function isWellFormed(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(([key, child]) => key.isWellFormed() && isWellFormed(child));
}
