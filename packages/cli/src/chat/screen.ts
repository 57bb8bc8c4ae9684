import type { Writable } from "node:stream";
import { styleText } from "node:util";

type Style = Parameters<typeof styleText>[0];

/** Where a chat is shown: answers on one stream, all about them on another; both may be one terminal. */
export class Screen {
  readonly #answers: Writable;
  readonly #notes: Writable;
  /** Whether a line of an answer has not come to its end. */
  #open = false;

  constructor(answers: Writable, notes: Writable) {
    this.#answers = answers;
    this.#notes = notes;
  }

  /** A piece of an answer. */
  text(piece: string): void {
    if (piece === "") return;
    this.#answers.write(piece);
    this.#open = !piece.endsWith("\n");
  }

  endText(): void {
    if (this.#open) this.#answers.write("\n");
    this.#open = false;
  }

  /**
   * A line about what happens.
   *
   * @param depth - of the agent that it happens in: 0 for the one that is talked to.
   */
  note(line: string, depth = 0, style?: Style): void {
    this.endText();
    const styled = style === undefined ? line : styleText(style, line, { stream: this.#notes as NodeJS.WritableStream });
    this.#notes.write(`${"  ".repeat(depth + 1)}${styled}\n`);
  }
}
