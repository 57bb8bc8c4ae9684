import type { IncomingMessage, ServerResponse } from "node:http";
import { randomUUID } from "node:crypto";
import type { ApiError } from "./api-error.js";
import type { RequestRecord } from "./recorded-request.js";

/** A request and the way to answer it. */
export interface Exchange {
  readonly record: RequestRecord;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Aborted when the client goes away or the server closes. */
  readonly gone: AbortSignal;
  /** Breaks the connection off. */
  destroy(): void;
}

/** Writes status and headers, those that every answer of the API has included. */
export function writeHead({ response, record }: Exchange, status: number, headers: Readonly<Record<string, string>>): void {
  record.status = status;
  response.writeHead(status, {
    "openai-version": "2020-10-01",
    "openai-processing-ms": String(Math.round(performance.timeOrigin + performance.now() - record.arrivedAt)),
    "x-request-id": `req_${randomUUID().replaceAll("-", "")}`,
    ...headers,
  });
}

/** Answers with JSON. */
export function sendJson(exchange: Exchange, status: number, body: object | string, headers: Readonly<Record<string, string>> = {}): void {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  writeHead(exchange, status, { "content-type": "application/json", "content-length": String(Buffer.byteLength(text)), ...headers });
  exchange.response.end(text);
}

/** Answers with a refusal of the server's own, and notes it. */
export function sendRefusal(exchange: Exchange, error: ApiError): void {
  exchange.record.refusal = error;
  sendJson(exchange, error.status, error.body());
}
