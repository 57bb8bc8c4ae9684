import type { Span } from "./redact-numbers.js";

const digitsIn = (text: string): number => text.replace(/\D/g, "").length;

// Every form has one way to match, so that the time stays linear.
const international = /(?<![\w+])(?:\+[1-9]|00[1-9]\d{0,2}(?=[ \-/(]))[\d() .\-/\u00a0]{6,26}/g;
const northAmerican = /(?<![\w.+-])(?:1[ .-])?(?:\([2-9]\d{2}\) ?|[2-9]\d{2}[ .-])[2-9]\d{2}[ .-]\d{4}(?![\w-])/g;
const national = /(?<![\w.,:+-])\(?0[1-9]\d{0,4}\)?(?:[ \-/]\d{2,8}){1,4}(?!\w)/g;
const date = /^\(?\d{1,2}[ \-/]\d{1,2}[ \-/](?:19|20)\d{2}/;

/**
 * Telephone numbers in the forms that people write: international ones, North American ones with separators, and national ones
 * that begin with 0 and have a separator. Bare digits are as likely a number of anything else.
 */
export function findPhones(text: string): Span[] {
  return [
    ...find(text, international, 8, 15, () => true),
    ...find(text, northAmerican, 10, 11, () => true),
    ...find(text, national, 9, 12, (candidate) => !date.test(candidate)),
  ];
}

function find(text: string, form: RegExp, least: number, most: number, accepts: (candidate: string) => boolean): Span[] {
  const found: Span[] = [];
  form.lastIndex = 0;
  for (let match = form.exec(text); match !== null; match = form.exec(text)) {
    const candidate = trimmed(match[0], match[0].startsWith("00") ? most + 2 : most);
    const accepted = digitsIn(candidate) >= least && accepts(candidate);
    if (accepted) found.push([match.index, match.index + candidate.length]);
    // Two numbers in a row make one match: the second one is looked for after the first.
    form.lastIndex = match.index + (accepted ? candidate.length : 1);
  }
  return found;
}

/** Without what follows the last digit, and without the groups that make it too long. */
function trimmed(candidate: string, most: number): string {
  let text = candidate.replace(/\D+$/, "");
  while (digitsIn(text) > most) {
    const shorter = text.replace(/\D+\d+$/, "");
    if (shorter === text) return "";
    text = shorter;
  }
  return text;
}
