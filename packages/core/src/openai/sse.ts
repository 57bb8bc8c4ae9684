/**
 * Reads server-sent events from a body, giving each event's data text. Ours and small, since decoding is the largest cost
 * of a streamed run; what it must know: the three line endings, comments, data over several lines, events without
 * `event:`, a character split between two chunks, and a last event without its blank line.
 */
export async function* sseData(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  const withNewlines = lineEndings();
  let rest = "";
  let data: string | undefined;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      rest += withNewlines(done ? decoder.decode() : decoder.decode(value, { stream: true }));
      let start = 0;
      for (let end = rest.indexOf("\n"); end !== -1; end = rest.indexOf("\n", start)) {
        const line = rest.slice(start, end);
        start = end + 1;
        if (line === "") {
          if (data !== undefined) yield data;
          data = undefined;
        } else if (line.startsWith("data:")) data = joined(data, line);
      }
      rest = start === 0 ? rest : rest.slice(start);
      if (!done) continue;
      if (rest.startsWith("data:")) data = joined(data, rest);
      // Cut in mid line, it is no event: the stream has ended too early.
      if (data !== undefined && (rest === "" || isJson(data))) yield data;
      return;
    }
  } finally {
    // Whoever stops reading lets the connection go.
    await reader.cancel().catch(() => {});
  }
}

function joined(data: string | undefined, line: string): string {
  const text = line.slice(line.charCodeAt(5) === 32 ? 6 : 5);
  return data === undefined ? text : `${data}\n${text}`;
}

// A line may end in CR LF, LF or CR, and a chunk between CR and LF.
function lineEndings(): (chunk: string) => string {
  let afterReturn = false;
  return (chunk) => {
    if (chunk === "") return chunk;
    const text = afterReturn && chunk.startsWith("\n") ? chunk.slice(1) : chunk;
    afterReturn = chunk.endsWith("\r");
    return text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
  };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
