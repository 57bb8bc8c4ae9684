// What a terminal acts upon, turns around or leaves out: controls, formats (bidirectional marks, zero width, tags), halves of
// pairs, private and unassigned ones, separators of lines, spaces other than the plain one, variation selectors and fillers.
// A literal, which is compiled when it is first used: its sets are large, and most programs never need them.
const invisible =
  /[\\\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\u{2800}\u{1d159}\u{e0000}-\u{e0fff}]|(?! )\p{Zs}|\p{Default_Ignorable_Code_Point}/gu;

const short: Readonly<Record<string, string>> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/**
 * A text that came from elsewhere, such as a package's manifest, for a terminal or a message: on one line, with everything
 * that cannot be seen written as `\u{…}`. So a person reads what the model reads.
 */
export function visibleText(text: string): string {
  return text.replaceAll(invisible, (character) => short[character] ?? `\\u{${character.codePointAt(0)?.toString(16)}}`);
}
