import { visibleText } from "@toolwright/core";

// What a person reads anyway is left as it is: line ends, tabs, and what joins the parts of a sign.
const harmful = /(?![\n\t])[\p{Cc}\p{Zl}\p{Zp}\u{61c}\u{200e}\u{200f}\u{202a}-\u{202e}\u{2066}-\u{2069}]|\p{Cs}/gu;
const notPlain = /[^\x20-\x7e]/gu;

/** A text of several lines, with what a terminal would act upon written out. */
export const prose = (text: string): string => text.replaceAll(harmful, (character) => visibleText(character));

/** A text on one line, with everything that cannot be seen written out. */
export const oneLine = (text: string): string => text.replaceAll(notPlain, (character) => visibleText(character));

/** A value as JSON on one line, with everything that cannot be seen escaped as JSON does. */
export const jsonLine = (value: unknown): string =>
  (JSON.stringify(value) ?? "undefined").replaceAll(notPlain, (character) =>
    visibleText(character) === character
      ? character
      : character
          .split("")
          .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
          .join(""),
  );

/** As much of a text as fits a line or three, and how much is left. */
export const shortened = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length).replace(/[\ud800-\udbff]$/, "")}… (${text.length - length} characters more)`;

/** Text that comes in pieces, which may part what is one character. */
export class ProseStream {
  #held = "";

  push(piece: string): string {
    const text = this.#held + piece;
    this.#held = /[\ud800-\udbff]$/.exec(text)?.[0] ?? "";
    return prose(text.slice(0, text.length - this.#held.length));
  }

  end(): string {
    const rest = prose(this.#held);
    this.#held = "";
    return rest;
  }
}
