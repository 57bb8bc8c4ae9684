/** What stands in the place of something hidden. */
const hidden = "[hidden]";

const secretNames = "api[-_]?key|(?:access|auth|refresh)[-_]?token|client[-_]?secret|password|passwd|pwd|secret|token";
const secretName = `(?<![a-z\\d])((?:${secretNames})\\\\?["']?\\s{0,4}[=:]\\s{0,4})`;

// Each pattern is bounded or cannot fail late, so that no text makes it slow.
const secretShapes: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g, hidden],
  [/\bbearer\s+[\w.~+/=-]+/gi, `Bearer ${hidden}`],
  [/\bbasic\s+(?=[\w+/-]*[\d=])[\w+/=-]{6,}/gi, `Basic ${hidden}`],
  [/(?<![\w-])sk-[\w-]{3,}/g, `sk-${hidden}`],
  [/\beyJ[\w-]{5,}\.[\w-]{5,}(?:\.[\w-]*)?/g, hidden],
  [/\b(?:AKIA|ASIA)[A-Z\d]{12,}|\bAIza[\w-]{20,}|\bgh[pousr]_\w{10,}|\bgithub_pat_\w{10,}|\bnpm_\w{20,}|\bxox[abeprs]-[\w-]{8,}/g, hidden],
  // The user part of a URL, up to the last @: a password may hold one itself, and a slash too. Without a password, an @ beyond
  // the first slash belongs to the path, and so does one right after a slash, as in node_modules/@scope.
  [
    /\b([a-z][a-z\d+.-]{0,20}:\/\/)(?=[^\s"'<>/]{0,2000}@|[^\s"'<>/:]{1,100}:[^\s"'<>]{0,2000}[^\s"'<>/]@)[^\s"'<>]{1,2000}@/gi,
    `$1${hidden}@`,
  ],
  // A backslash before the @ is of a path, not of a password.
  [/[^\s:@/"'<>(]{1,100}:[^\s:@/"'<>]{1,200}(?<!\\)@(?=[\w[])/g, `${hidden}@`],
  // A name that says what its value is: quoted (as in JSON, and in JSON inside JSON), then bare.
  [new RegExp(`${secretName}\\\\?"[^"]*(?:"|$)|${secretName}'[^']*(?:'|$)`, "gi"), `$1$2${hidden}`],
  [new RegExp(`${secretName}(?!\\[hidden)[^\\s,;&"')}\\]\\\\]+`, "gi"), `$1${hidden}`],
];

/** Hides what looks like a key, a token or a password, wherever it stands in a text. */
export function maskSecrets(text: string): string {
  let masked = text;
  for (const [shape, replacement] of secretShapes) masked = masked.replace(shape, replacement);
  return masked;
}

/** Hides given values wherever they stand in a text; short ones only as whole words, since they would tear up any text. */
export function maskValues(text: string, values: ReadonlySet<string>, replacement: string): string {
  let masked = text;
  // Longest first: a value may be part of another one.
  for (const value of [...values].sort((one, other) => other.length - one.length)) {
    if (value === "") continue;
    for (const form of formsOf(value))
      masked = form.length < 4 ? masked.replace(wholeWord(form), () => replacement) : hideAll(masked, form, replacement);
  }
  return masked;
}

/** A value as it is, and as it looks inside JSON. */
function formsOf(value: string): readonly string[] {
  const quoted = JSON.stringify(value).slice(1, -1);
  return quoted === value ? [value] : [value, quoted];
}

const recognisable = 24;

/** Hides a value, and of a long one also what a text quotes of its beginning. */
function hideAll(text: string, value: string, replacement: string): string {
  const start = value.slice(0, recognisable);
  let masked = "";
  let from = 0;
  for (let at = text.indexOf(start); at >= 0; at = text.indexOf(start, from)) {
    let length = start.length;
    while (length < value.length && text[at + length] === value[length]) length += 1;
    masked += text.slice(from, at) + replacement;
    from = at + length;
  }
  return masked + text.slice(from);
}

function wholeWord(value: string): RegExp {
  const escaped = value.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  return new RegExp(`(?<![\\p{L}\\p{N}_])${escaped}(?![\\p{L}\\p{N}_])`, "gu");
}

/** All texts and numbers inside a value, as texts. Bounded: the rest of a huge value is left out. */
export function leavesOf(value: unknown, into: Set<string> = new Set()): Set<string> {
  const pending: unknown[] = [value];
  while (pending.length > 0 && into.size < 5_000) {
    const next = pending.pop();
    if (typeof next === "string" || typeof next === "number") into.add(String(next));
    else if (typeof next === "object" && next !== null) for (const inner of Object.values(next)) pending.push(inner);
  }
  return into;
}
