import type { Span } from "./redact-numbers.js";

// Shapes of keys and tokens that are in use, each bounded or unable to fail late. What only a name tells (password=…) is not
// here: in code and forms such names stand beside all kinds of words.
const shapes: readonly RegExp[] = [
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g,
  /(?<![\w-])eyJ[\w-]{8,}\.eyJ[\w-]{5,}(?:\.[\w-]*)?/g,
  /(?<![\w-])[sr]k-[\w-]{16,}/g,
  /(?<!\w)(?:[sr]k|pk)_(?:live|test)_\w{10,}/g,
  /(?<!\w)(?:AKIA|ASIA)[A-Z\d]{12,}/g,
  /(?<!\w)(?:AIza[\w-]{30,}|ya29\.[\w-]{20,})/g,
  /(?<!\w)(?:gh[pousr]_\w{16,}|github_pat_\w{16,}|glpat-[\w-]{16,}|npm_\w{20,}|hf_\w{20,})/g,
  /(?<!\w)xox[abeprs]-[\w-]{8,}/g,
  /(?<=\bbearer\s{1,4})(?=[\w.~+/-]{0,400}\d)[\w.~+/-]{12,}={0,2}/gi,
  /(?<=\bbasic\s{1,4})(?=[\w+/]{0,400}[\d=])[\w+/]{12,}={0,2}/gi,
  // The password of a URL.
  /(?<=:\/\/[^\s:@/"'<>]{0,100}:)[^\s@/"'<>]{1,200}(?=@)/g,
];

/** Keys, tokens and the like. */
export function findSecrets(text: string): Span[] {
  return shapes.flatMap((shape) => [...text.matchAll(shape)].map(({ 0: match, index }) => [index, index + match.length] as const));
}
