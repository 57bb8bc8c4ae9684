/**
 * Reads the beginning of a JSON text as far as it has come: open texts, lists and objects are closed where they stand, and
 * what cannot be told yet, such as a key without its value or a number that may go on, is left out.
 *
 * @returns undefined when there is nothing to show yet, or the text is no JSON.
 */
export function partialJson(text: string): unknown {
  const closed = closedText(text);
  if (closed === undefined) return undefined;
  try {
    return JSON.parse(closed) as unknown;
  } catch {
    return undefined;
  }
}

type Expects = "value" | "key" | "after";

function closedText(text: string): string | undefined {
  const closers: string[] = [];
  let expects: Expects = "value";
  // Up to here, with these closers, the text is whole.
  let safe: { readonly end: number; readonly closers: string } | undefined;
  const mark = (end: number): void => {
    safe = { end, closers: closers.toReversed().join("") };
    expects = "after";
  };
  let at = 0;
  while (at < text.length) {
    const sign = text[at] as string;
    if (sign === '"') {
      const end = endOfString(text, at);
      const isKey = expects === "key";
      if (end === -1) return isKey ? finished(text, safe) : `${withoutHalfEscape(text)}"${closers.toReversed().join("")}`;
      if (isKey) expects = "value";
      else mark(end);
      at = end;
    } else if (sign === "{" || sign === "[") {
      closers.push(sign === "{" ? "}" : "]");
      at += 1;
      mark(at);
      expects = sign === "{" ? "key" : "value";
    } else if (sign === "}" || sign === "]") {
      closers.pop();
      at += 1;
      mark(at);
    } else if (/[-0-9a-z]/.test(sign)) {
      const end = endOfWord(text, at);
      // It may go on, unless it is a word that is whole.
      if (end === text.length && !/^(?:true|false|null)$/.test(text.slice(at))) return finished(text, safe);
      at = end;
      mark(at);
    } else {
      if (sign === ",") expects = closers.at(-1) === "}" ? "key" : "value";
      at += 1;
    }
  }
  return finished(text, safe);
}

function finished(text: string, safe: { readonly end: number; readonly closers: string } | undefined): string | undefined {
  return safe === undefined ? undefined : text.slice(0, safe.end) + safe.closers;
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === '"') return at + 1;
  }
  return -1;
}

function endOfWord(text: string, start: number): number {
  let at = start;
  while (at < text.length && /[-+.0-9a-zA-Z]/.test(text[at] as string)) at += 1;
  return at;
}

// An escape that has only begun, and half a surrogate pair.
function withoutHalfEscape(text: string): string {
  const cut = /\\(?:u[0-9a-fA-F]{0,3})?$/.exec(text);
  const isEscape = cut !== null && /(?:^|[^\\])(?:\\\\)*$/.test(text.slice(0, cut.index));
  const whole = isEscape ? text.slice(0, cut.index) : text;
  return whole.replace(/(?:[\ud800-\udbff]|\\u[dD][89abAB][0-9a-fA-F]{2})$/, "");
}
