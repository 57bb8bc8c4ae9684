/**
 * Splits a body into server-sent events. Ours and small, since decoding is the largest cost of a streamed run: without a
 * promise for each event, and without a text of its own for an event that is looked at in place. What it must know: CRLF,
 * comments, data over several lines, events without `event:`, a character or a line split between two chunks, and a last
 * event without its blank line.
 *
 * @example
 * decoder.push(bytes);
 * while (decoder.next()) use(decoder.data);
 */
export class SseDecoder {
  readonly #decoder = new TextDecoder();
  /** What is not yet read, from `#position` on; a line that has no end yet is at its end. */
  #buffer = "";
  #position = 0;
  #hasLine = false;
  #endedWithReturn = false;
  // The data lines of the event that is being read: where the only one is, or several joined.
  #from = -1;
  #to = -1;
  #joined: string | undefined;

  /** The data of the event that `next` found is this text from `start` to `end`. */
  source = "";
  start = 0;
  end = 0;

  get data(): string {
    return this.source.slice(this.start, this.end);
  }

  /** Takes the next bytes. */
  push(bytes: Uint8Array): void {
    this.#append(this.#decoder.decode(bytes, { stream: true }));
  }

  /** Takes the end of the body. */
  close(): void {
    this.#append(`${this.#decoder.decode()}\n\n`);
  }

  /** Reads one event; false when it needs more bytes. */
  next(): boolean {
    if (!this.#hasLine) return false;
    for (;;) {
      const lineEnd = this.#buffer.indexOf("\n", this.#position);
      if (lineEnd === -1) return this.#wait();
      const lineStart = this.#position;
      this.#position = lineEnd + 1;
      if (lineEnd === lineStart) {
        if (this.#from !== -1 || this.#joined !== undefined) return this.#found();
      } else if (this.#buffer.charCodeAt(lineStart) === letterD && this.#buffer.startsWith("data:", lineStart)) {
        this.#addLine(this.#buffer.charCodeAt(lineStart + 5) === space ? lineStart + 6 : lineStart + 5, lineEnd);
      }
    }
  }

  #append(text: string): void {
    const fresh = text.includes("\r") || this.#endedWithReturn ? this.#lineFeeds(text) : text;
    const rest = this.#position === 0 ? this.#buffer : this.#buffer.slice(this.#position);
    // Looked at once its end is there: a line of megabytes comes in many chunks, and a look through it at each is one too many.
    if (fresh.includes("\n")) this.#hasLine = true;
    this.#buffer = rest === "" ? fresh : rest + fresh;
    this.#position = 0;
  }

  #addLine(from: number, to: number): void {
    if (this.#joined !== undefined) this.#joined += `\n${this.#buffer.slice(from, to)}`;
    else if (this.#from !== -1) this.#joined = `${this.#buffer.slice(this.#from, this.#to)}\n${this.#buffer.slice(from, to)}`;
    else {
      this.#from = from;
      this.#to = to;
      return;
    }
    this.#from = -1;
  }

  #found(): true {
    this.source = this.#joined ?? this.#buffer;
    this.start = this.#joined === undefined ? this.#from : 0;
    this.end = this.#joined === undefined ? this.#to : this.source.length;
    this.#joined = undefined;
    this.#from = -1;
    return true;
  }

  // The text that the data line stands in goes when the next one comes.
  #wait(): false {
    if (this.#from !== -1) {
      this.#joined = this.#buffer.slice(this.#from, this.#to);
      this.#from = -1;
    }
    this.#hasLine = false;
    return false;
  }

  // A line may end with LF, CR or both; the two of one end may come in two chunks.
  #lineFeeds(text: string): string {
    const rest = this.#endedWithReturn && text.startsWith("\n") ? text.slice(1) : text;
    this.#endedWithReturn = text.endsWith("\r");
    return rest.replaceAll(/\r\n?/g, "\n");
  }
}

const space = 32;
const letterD = 100;
