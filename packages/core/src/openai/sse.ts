/**
 * Reads server-sent events from a body, giving each event's data text. Ours and small, since decoding is the largest cost
 * of a streamed run; what it must know: CRLF, comments, data over several lines, events without `event:`, a character
 * split between two chunks, and a last event without its blank line.
 */
export async function* sseData(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let rest = "";
  let data: string | undefined;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      rest += done ? decoder.decode() : decoder.decode(value, { stream: true });
      let start = 0;
      for (let end = rest.indexOf("\n"); end !== -1; end = rest.indexOf("\n", start)) {
        const line = rest.slice(start, rest.charCodeAt(end - 1) === 13 && end > start ? end - 1 : end);
        start = end + 1;
        if (line === "") {
          if (data !== undefined) yield data;
          data = undefined;
        } else if (line.startsWith("data:")) {
          const text = line.slice(line.charCodeAt(5) === 32 ? 6 : 5);
          data = data === undefined ? text : `${data}\n${text}`;
        }
      }
      rest = start === 0 ? rest : rest.slice(start);
      if (done) {
        if (rest.startsWith("data:")) data = (data === undefined ? "" : `${data}\n`) + rest.slice(5).trim();
        if (data !== undefined) yield data;
        return;
      }
    }
  } finally {
    // Whoever stops reading lets the connection go.
    await reader.cancel().catch(() => {});
  }
}
