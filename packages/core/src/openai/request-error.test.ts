import { inspect } from "node:util";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { requestError } from "./request-error.js";

const quiet = new AbortController().signal;
const errorOf = (thrown: unknown, signal = quiet) => requestError(thrown, signal);

/** As the official client throws it. */
const apiError = (status: number, body: object = {}, headers: Record<string, string> = {}) =>
  OpenAI.APIError.generate(status, { error: body }, undefined, new Headers(headers));

const statuses: readonly (readonly [status: number, body: object, code: string, retryable: boolean])[] = [
  [400, { code: "invalid_value" }, "MODEL_BAD_REQUEST", false],
  [400, { code: "context_length_exceeded" }, "MODEL_BAD_REQUEST", false],
  [400, { code: "conversation_locked" }, "MODEL_CONFLICT", true],
  [400, { code: "previous_response_not_found" }, "MODEL_NOT_FOUND", false],
  [401, { code: "invalid_api_key" }, "MODEL_AUTHENTICATION", false],
  [403, {}, "MODEL_AUTHENTICATION", false],
  [404, {}, "MODEL_NOT_FOUND", false],
  [408, {}, "MODEL_TIMEOUT", true],
  [409, {}, "MODEL_CONFLICT", true],
  [413, {}, "MODEL_BAD_REQUEST", false],
  [422, {}, "MODEL_BAD_REQUEST", false],
  [429, { code: "rate_limit_exceeded" }, "MODEL_RATE_LIMIT", true],
  [429, { code: "insufficient_quota" }, "MODEL_QUOTA", false],
  [429, { code: "credit_balance_exhausted" }, "MODEL_QUOTA", false],
  [500, {}, "MODEL_SERVER", true],
  [503, { code: "server_is_overloaded" }, "MODEL_SERVER", true],
  [529, {}, "MODEL_SERVER", true],
];

describe("requestError: an answer with a status", () => {
  it.each(statuses)("%i %j is %s, retryable: %s", (status, body, code, retryable) => {
    const thrown = apiError(status, { message: "Because.", type: "some_type", param: "input", ...body });
    const error = errorOf(thrown);
    expect(error).toMatchObject({ code, retryable, details: { status, type: "some_type", param: "input", ...body } });
    expect(error.message).toContain(`${status}`);
    expect(error.message).toContain("Because.");
    expect(error.cause).toBe(thrown);
  });

  it.each([
    [400, "true", {}, true],
    [500, "false", {}, false],
    [429, "true", { code: "insufficient_quota" }, false],
  ])("%i with x-should-retry: %s %j is retryable: %s", (status, word, body, retryable) => {
    expect(errorOf(apiError(status, body, { "x-should-retry": word })).retryable).toBe(retryable);
  });

  it.each([
    [{ "retry-after": "2" }, 2_000],
    [{ "retry-after": "0.5" }, 500],
    [{ "retry-after-ms": "250", "retry-after": "9" }, 250],
    [{ "retry-after": "soon" }, undefined],
    [{ "retry-after-ms": "-1" }, undefined],
    [{}, undefined],
  ])("%j asks to wait %s ms", (headers, expected) => {
    expect(errorOf(apiError(429, {}, headers)).details["retryAfterMs"]).toBe(expected);
  });

  it("a date to wait for is so many milliseconds from now, and none that is past", () => {
    const wait = (date: number) =>
      errorOf(apiError(429, {}, { "retry-after": new Date(date).toUTCString() })).details["retryAfterMs"] as number;
    expect(wait(Date.now() + 120_000)).toBeGreaterThan(100_000);
    expect(wait(Date.now() + 120_000)).toBeLessThanOrEqual(120_000);
    expect(wait(Date.now() - 120_000)).toBe(0);
  });

  it("prints neither headers nor a page for a message", () => {
    const error = errorOf(apiError(502, { message: `<html>${"x".repeat(5_000)}` }, { "x-secret": "s3cret" }));
    expect(error.message.length).toBeLessThan(1_000);
    expect(inspect(error, { depth: 10 })).not.toContain("s3cret");
    expect(JSON.stringify(error)).not.toContain("s3cret");
  });
});

describe("requestError: no answer", () => {
  const withCause = (code: string) => new TypeError("fetch failed", { cause: Object.assign(new Error(code), { code }) });
  it.each([
    ["a broken connection", new OpenAI.APIConnectionError({ message: "Connection error." }), "MODEL_CONNECTION", true],
    ["a bare error of fetch", withCause("ECONNRESET"), "MODEL_CONNECTION", true],
    ["the client's time limit", new OpenAI.APIConnectionTimeoutError({ message: "Request timed out." }), "MODEL_TIMEOUT", true],
    ["the runtime's limit for headers", withCause("UND_ERR_HEADERS_TIMEOUT"), "MODEL_TIMEOUT", true],
    ["the runtime's limit for bodies", withCause("UND_ERR_BODY_TIMEOUT"), "MODEL_TIMEOUT", true],
    ["a page instead of JSON", new SyntaxError("Unexpected token <"), "MODEL_PROTOCOL", false],
    ["a key function that gave nothing", new OpenAI.OpenAIError("Missing credentials."), "MODEL_AUTHENTICATION", false],
    ["something that is no error", "down", "MODEL_CONNECTION", true],
    ["nothing", undefined, "MODEL_CONNECTION", true],
  ])("%s is typed", (_, thrown, code, retryable) => {
    const error = errorOf(thrown);
    expect(error).toMatchObject({ code, retryable });
    expect(error.cause).toBe(thrown);
  });

  it("after an abort it is the abort, with the signal's reason", () => {
    const reason = new Error("enough");
    expect(errorOf(new OpenAI.APIUserAbortError(), AbortSignal.abort(reason))).toMatchObject({ code: "RUN_ABORTED", cause: reason });
  });

  it("what is typed already stays as it is", () => {
    const error = errorOf(apiError(500));
    expect(errorOf(error, AbortSignal.abort())).toBe(error);
  });
});
