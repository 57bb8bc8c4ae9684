import { ToolError, ToolwrightError } from "@toolwright/core";

// Real answers have a few kilobytes; the bound keeps a wrong server from filling memory.
const mostBytes = 1_000_000;

/**
 * Fetches JSON from a weather server.
 *
 * @param timeoutMs - time for the whole of the request, its body included.
 * @throws ToolError with `WEATHER_TIMEOUT`, `WEATHER_UNREACHABLE`, `WEATHER_RATE_LIMIT`, `WEATHER_HTTP` or `WEATHER_BAD_RESPONSE`; the
 * reason of `signal` when that was aborted.
 */
export async function getJson(url: URL, timeoutMs: number, signal: AbortSignal | undefined): Promise<unknown> {
  const { status, text } = await getText(url, timeoutMs, signal);
  const body = parse(text);
  if (status >= 200 && status < 300 && !isRefusal(body)) {
    if (body !== undefined) return body;
    // Most likely a page of something in between, or a cut answer: the next attempt may well succeed.
    throw new ToolError({
      code: "WEATHER_BAD_RESPONSE",
      message: "The weather service answered something that is not JSON.",
      retryable: true,
    });
  }
  throw refusal(status, isRefusal(body) ? body.reason : undefined);
}

async function getText(url: URL, timeoutMs: number, signal: AbortSignal | undefined): Promise<{ status: number; text: string }> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), timeoutMs);
  try {
    const response = await fetch(url, {
      headers: { accept: "application/json" },
      // The addresses are the application's choice; an answer must not lead elsewhere.
      redirect: "error",
      signal: signal === undefined ? limit.signal : AbortSignal.any([signal, limit.signal]),
    });
    return { status: response.status, text: await boundedText(response) };
  } catch (cause) {
    if (signal?.aborted === true) throw signal.reason;
    if (ToolwrightError.is(cause)) throw cause;
    if (limit.signal.aborted) {
      throw new ToolError({
        code: "WEATHER_TIMEOUT",
        message: `The weather service did not answer within ${timeoutMs} ms.`,
        retryable: true,
        cause,
      });
    }
    throw new ToolError({
      code: "WEATHER_UNREACHABLE",
      message: "The weather service could not be reached, or the connection broke.",
      retryable: true,
      cause,
    });
  } finally {
    clearTimeout(timer);
  }
}

async function boundedText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > mostBytes) throw new ToolError({ code: "WEATHER_BAD_RESPONSE", message: "The weather service answered too much data." });
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Open-Meteo's own form of an error. */
function isRefusal(body: unknown): body is { error: true; reason?: unknown } {
  return typeof body === "object" && body !== null && (body as { error?: unknown }).error === true;
}

function refusal(status: number, reason: unknown): ToolError {
  // The text is the server's: one line, and short.
  const why = typeof reason === "string" ? `: ${reason.replaceAll(/\s+/g, " ").trim().slice(0, 200)}` : ".";
  if (status === 429)
    return new ToolError({ code: "WEATHER_RATE_LIMIT", message: `The weather service has had too many requests${why}`, retryable: true });
  return new ToolError({
    code: "WEATHER_HTTP",
    message: `The weather service refused the request (status ${status})${why}`,
    retryable: status >= 500 || status === 408,
  });
}
