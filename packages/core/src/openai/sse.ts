/**
 * Splits a body into server-sent events, giving each event's data text. Ours and small, since decoding is the largest cost
 * of a streamed run, and without a promise for each event. What it must know: CRLF, comments, data over several lines,
 * events without `event:`, a character or a line split between two chunks, and a last event without its blank line.
 */
export class SseDecoder {
  readonly #decoder = new TextDecoder();
  #rest = "";
  #data: string | undefined;
  #endedWithReturn = false;

  /** Takes the next bytes; gives the data of the events that they complete. */
  push(bytes: Uint8Array): readonly string[] {
    return this.#split(this.#decoder.decode(bytes, { stream: true }));
  }

  /** Takes the end of the body. */
  end(): readonly string[] {
    return this.#split(`${this.#decoder.decode()}\n\n`);
  }

  #split(text: string): readonly string[] {
    const fresh = text.includes("\r") || this.#endedWithReturn ? this.#lineFeeds(text) : text;
    const first = fresh.indexOf("\n");
    // Looked at once its end is there: a line of megabytes comes in many chunks, and a look through it at each is one too many.
    if (first === -1) {
      this.#rest += fresh;
      return [];
    }
    const events: string[] = [];
    const all = this.#rest + fresh;
    let start = 0;
    for (let end = this.#rest.length + first; end !== -1; end = all.indexOf("\n", start)) {
      if (end === start) {
        if (this.#data !== undefined) events.push(this.#data);
        this.#data = undefined;
      } else if (all.startsWith("data:", start)) {
        const value = all.slice(all.charCodeAt(start + 5) === space ? start + 6 : start + 5, end);
        this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
      }
      start = end + 1;
    }
    this.#rest = all.slice(start);
    return events;
  }

  // A line may end with LF, CR or both; the two of one end may come in two chunks.
  #lineFeeds(text: string): string {
    const rest = this.#endedWithReturn && text.startsWith("\n") ? text.slice(1) : text;
    this.#endedWithReturn = text.endsWith("\r");
    return rest.replaceAll(/\r\n?/g, "\n");
  }
}

const space = 32;
