import type { ConstantPattern } from "../constant.js";

/** The largest count that a linear-time engine takes in `{n,m}`. */
export const mostRepeats = 1000;

const plainEscapes = /^\\(?:[dDwWsSbBnrtfv]|x[0-9A-Fa-f]{2}|[\^$\\.*+?()[\]{}|/])/;
// `\p{L}`, `\p{Lu}`; the longer names differ between engines.
const categoryEscape = /^\\[pP]\{[A-Z][a-z]?\}/;

/**
 * The text to send as `pattern`, when the expression means the same to the API's linear-time engine (RE2's rules: neither
 * lookaround nor back-references, counts up to 1000) and is valid under `u`, as JSON Schema reads it. Otherwise undefined.
 */
export function safePattern({ source, flags }: ConstantPattern): string | undefined {
  // The others change the meaning, and a schema has no flags.
  if (/[^gudv]/.test(flags) || flags.includes("v")) return undefined;
  try {
    new RegExp(source, "u");
  } catch {
    return undefined;
  }
  return isLinear(source) ? source : undefined;
}

function isLinear(source: string): boolean {
  let inClass = false;
  for (let index = 0; index < source.length;) {
    const rest = source.slice(index);
    if (rest.startsWith("\\")) {
      const escape =
        plainEscapes.exec(rest)?.[0] ?? categoryEscape.exec(rest)?.[0] ?? (inClass && rest.startsWith("\\-") ? "\\-" : undefined);
      if (escape === undefined) return false;
      index += escape.length;
      continue;
    }
    if (inClass) inClass = !rest.startsWith("]");
    else if (rest.startsWith("[")) {
      // JavaScript alone has the empty class and its negation.
      if (/^\[\^?\]/.test(rest)) return false;
      inClass = true;
    } else if (/^\(\?(?!:)/.test(rest) || repeats(rest) > mostRepeats) return false;
    index += 1;
  }
  return true;
}

function repeats(rest: string): number {
  const [, low, high] = /^\{(\d+)(?:,(\d*))?\}/.exec(rest) ?? [];
  return Math.max(Number(low ?? 0), Number(high ?? 0));
}
