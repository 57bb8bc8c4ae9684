/** Text of a document within a doc comment, on one line: nothing in it may end the comment or begin a tag. */
export function docText(text: string): string {
  return text
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ")
    .trim()
    .replaceAll("*/", "* /")
    .replaceAll("{@", "{ @")
    .replace(/^@/, "(at) ");
}

/** The lines of a doc comment; none when there is nothing to say. */
export function docComment(text: string, tags: readonly string[], indent: string): readonly string[] {
  const words = docText(text);
  if (words === "" && tags.length === 0) return [];
  if (tags.length === 0) return [`${indent}/** ${words} */`];
  return [`${indent}/**`, ...(words === "" ? [] : [`${indent} * ${words}`]), ...tags.map((tag) => `${indent} * ${tag}`), `${indent} */`];
}

/** A description of a document, short enough to be sent at every step: whole sentences where possible. */
export function shortened(text: string, most = 600): string {
  const plain = text.replaceAll(/[\p{Cc}\s]+/gu, " ").trim();
  if (plain.length <= most) return plain;
  const cut = plain.slice(0, most);
  const end = cut.search(/[.!?](?=\s[^.!?]*$)/);
  return (end > most / 3 ? cut.slice(0, end + 1) : `${cut.slice(0, cut.lastIndexOf(" "))} …`).toWellFormed();
}
