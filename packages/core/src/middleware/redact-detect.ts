import { ToolwrightError } from "../errors/toolwright-error.js";
import { PatternRefused } from "../schema/pattern-syntax.js";
import { quote } from "./options.js";
import { findCards, findIbans, type Span } from "./redact-numbers.js";
import { patternFinder } from "./redact-pattern.js";
import { findPhones } from "./redact-phones.js";
import { findSecrets } from "./redact-secrets.js";

/** What `redact` finds by itself. */
export type Detection = "email" | "phone" | "credit-card" | "iban" | "secret";

/** An application's own pattern: `name` becomes the word of the placeholder, so `customer-id` reads `<CUSTOMER_ID_1>`. */
export interface RedactPattern {
  readonly name: string;
  /** An expression, as a text or with the flags `i` and `u` alone. No lookaround, no references back to a group. */
  readonly pattern: string | RegExp;
}

/** One kind of thing to find. */
export interface Detector {
  readonly kind: string;
  find(text: string): readonly Span[];
}

const emails =
  /(?<![\p{L}\p{N}_.+-])[\p{L}\p{N}_.+'%-]{1,64}@(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.){1,8}\p{L}{2,24}(?![\p{L}\p{N}-])/gu;

const builtIn: { readonly [name in Detection]: (text: string) => readonly Span[] } = {
  secret: findSecrets,
  email: (text) => (text.includes("@") ? spansOf(text, emails) : []),
  iban: findIbans,
  "credit-card": findCards,
  phone: findPhones,
};

/** In the order in which they have their say about a place: the surer first. */
export const detections = Object.keys(builtIn) as readonly Detection[];

const kindOf = (name: string): string => name.toUpperCase().replaceAll("-", "_");

/** The word of placeholders for what only looks like one. */
export const literalKind = "LITERAL";

/**
 * Makes the detectors that the options ask for, in the order in which they have their say.
 *
 * @throws ToolwrightError `RUN_OPTIONS` for a pattern that cannot be used, with the reason.
 */
export function detectors(detect: readonly Detection[], patterns: readonly RedactPattern[], words: readonly string[]): readonly Detector[] {
  const own = patterns.map(patternDetector);
  const listed = words.length === 0 ? [] : [wordDetector(words)];
  const standard = detections.filter((name) => detect.includes(name)).map((name) => ({ kind: kindOf(name), find: builtIn[name] }));
  const all = [...own, ...listed, ...standard];
  const reserved = new Set([literalKind, "WORD", ...detections.map(kindOf)]);
  for (const [index, { kind }] of own.entries()) {
    if (!reserved.has(kind)) {
      reserved.add(kind);
      continue;
    }
    throw new ToolwrightError("RUN_OPTIONS", `redact(): the name ${quote(patterns[index]?.name)} in \`patterns\` is taken.`, {
      fix: "Choose another one.",
    });
  }
  return all;
}

function patternDetector({ name, pattern }: RedactPattern): Detector {
  const flags = typeof pattern === "string" ? "" : pattern.flags.replace(/[gu]/g, "");
  if (flags !== "" && flags !== "i") throw refused(name, `it has the flags ${quote(flags)}, and only i and u are understood`);
  try {
    return { kind: kindOf(name), find: patternFinder(typeof pattern === "string" ? pattern : pattern.source, flags === "i") };
  } catch (error) {
    if (error instanceof PatternRefused) throw refused(name, error.message);
    throw error;
  }
}

function refused(name: string, why: string): ToolwrightError {
  return new ToolwrightError("RUN_OPTIONS", `redact(): the pattern ${quote(name)} cannot be used: ${why}.`, {
    fix: "Write it without what is named, so that it takes time in proportion to the text.",
  });
}

function wordDetector(words: readonly string[]): Detector {
  // Longest first: an expression takes the first way that fits.
  const escaped = words.toSorted((one, other) => other.length - one.length).map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"));
  const expression = new RegExp(`(?<![\\p{L}\\p{N}_])(?:${escaped.join("|")})(?![\\p{L}\\p{N}_])`, "giu");
  return { kind: "WORD", find: (text) => spansOf(text, expression) };
}

function spansOf(text: string, expression: RegExp): Span[] {
  return [...text.matchAll(expression)].map(({ 0: match, index }) => [index, index + match.length] as const);
}
