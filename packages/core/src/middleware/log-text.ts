/** Longest log line, in UTF-16 units, the line end not included. */
export const longestLine = 2_000;

// Control characters (a terminal obeys some of them), line separators, and marks that turn the direction of text.
const unprintable = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** One line, whatever the text holds. */
export function oneLine(text: string): string {
  return text.toWellFormed().replace(unprintable, (character) => {
    if (character === "\n") return "\\n";
    if (character === "\r") return "\\r";
    if (character === "\t") return "\\t";
    return escaped(character);
  });
}

/** At most `length` units of a text, with a mark where it was cut, never through the middle of a character. */
export function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  return `${text.slice(0, Math.max(0, length - 1)).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** A record as one line of JSON within the limit: its longest texts are shortened until it fits. */
export function jsonLine(record: object, limit: number = longestLine): string {
  let line = escaped(JSON.stringify(record));
  for (let longest = limit; line.length > limit && longest >= 4; longest = Math.floor(longest / 2)) {
    line = escaped(JSON.stringify(record, (_key, value: unknown) => (typeof value === "string" ? cut(value, longest) : value)));
  }
  return line;
}

// JSON leaves some of these as they are, but there are readers and terminals that break a line at them or obey them.
function escaped(text: string): string {
  return text.replace(unprintable, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Milliseconds for people. */
export function duration(milliseconds: number): string {
  return milliseconds < 10_000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1_000).toFixed(1)} s`;
}

/** `1 call`, `2 calls`. */
export function count(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? "" : "s"}`;
}
