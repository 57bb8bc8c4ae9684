/** Where something stands in a text: from a unit up to another. */
export type Span = readonly [start: number, end: number];

// One separator between digits at most, so that there is one way to match and the time stays linear.
const digitRuns = /(?<!\d)\d(?:[ -]?\d){12,}/g;

/** Numbers of payment cards: of a length and a beginning that are in use, and with the right check digit. */
export function findCards(text: string): Span[] {
  const found: Span[] = [];
  for (const { 0: run, index } of text.matchAll(digitRuns)) {
    const places = [...run].flatMap((character, at) => (character >= "0" ? [at] : []));
    const digits = places.map((at) => run[at]).join("");
    const isEdge = (count: number): boolean =>
      count === 0 || count === digits.length || (places[count] as number) - (places[count - 1] as number) > 1;
    for (let from = 0; from + 13 <= digits.length;) {
      // Groups may be of several cards in a row, so a card begins and ends where digits do, or where there is a separator.
      const length = isEdge(from)
        ? [19, 18, 17, 16, 15, 14, 13].find((each) => isEdge(from + each) && isCard(digits.slice(from, from + each), each))
        : undefined;
      if (length === undefined) from += 1;
      else {
        found.push([index + (places[from] as number), index + (places[from + length - 1] as number) + 1]);
        from += length;
      }
    }
  }
  return found;
}

/** Lengths in use by the first digits. Source: ISO/IEC 7812 and the networks' public ranges. */
const cardRanges: readonly (readonly [RegExp, readonly number[]])[] = [
  [/^4/, [13, 16, 19]],
  [/^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, [16]],
  [/^3[47]/, [15]],
  [/^3(?:0[0-5]|[689])/, [14, 16, 17, 18, 19]],
  [/^35/, [16, 17, 18, 19]],
  [/^(?:6|5[06-8])/, [13, 14, 15, 16, 17, 18, 19]],
];

function isCard(digits: string, length: number): boolean {
  if (digits.length !== length) return false;
  return cardRanges.some(([start, lengths]) => lengths.includes(length) && start.test(digits)) && passesLuhn(digits);
}

function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let place = 0; place < digits.length; place += 1) {
    const digit = Number(digits[digits.length - 1 - place]);
    const doubled = place % 2 === 0 ? digit : digit * 2;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

/** Length of an account number by country. Source: the IBAN registry of SWIFT. */
const ibanLengths = new Map(
  (
    "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 FI18 FK18 FO18 " +
    "FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 " +
    "ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 " +
    "ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20"
  )
    .split(" ")
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))] as const),
);

const ibanStarts = /(?<![A-Za-z\d])[A-Za-z]{2}\d{2}(?: ?[A-Za-z\d]){11,30}/g;

/** International bank account numbers, with or without spaces, whose check digits are right. */
export function findIbans(text: string): Span[] {
  const found: Span[] = [];
  ibanStarts.lastIndex = 0;
  for (let match = ibanStarts.exec(text); match !== null; match = ibanStarts.exec(text)) {
    const end = ibanEnd(text, match.index);
    if (end !== undefined) found.push([match.index, end]);
    // What follows the account may be one itself, or the match began too early.
    ibanStarts.lastIndex = end ?? match.index + 2;
  }
  return found;
}

function ibanEnd(text: string, start: number): number | undefined {
  const length = ibanLengths.get(text.slice(start, start + 2).toUpperCase());
  if (length === undefined) return undefined;
  let account = "";
  let at = start;
  for (; account.length < length; at += 1) {
    const character = text[at];
    if (character === undefined || !/[A-Za-z\d ]/.test(character)) return undefined;
    if (character !== " ") account += character;
  }
  return /[A-Za-z\d]/.test(text[at] ?? "") || !passesMod97(account) ? undefined : at;
}

function passesMod97(account: string): boolean {
  let rest = 0;
  for (const character of account.slice(4) + account.slice(0, 4)) {
    const value = Number.parseInt(character, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
}
