/** The largest count that a linear-time engine such as RE2 takes in `{n,m}`. */
const repeatLimit = 1000;

const lookarounds = ["(?=", "(?!", "(?<=", "(?<!"];

/**
 * What is wrong with a `pattern`: it must be a regular expression, and one that a linear-time engine can run, so neither
 * lookaround nor back-references. Undefined when it is fine.
 */
export function patternProblem(pattern: unknown): string | undefined {
  if (typeof pattern !== "string") return "'pattern' must be a string.";
  try {
    new RegExp(pattern, "u");
  } catch {
    return `'${pattern}' is not a valid regex.`;
  }
  let inClass = false;
  for (let index = 0; index < pattern.length; index += 1) {
    const rest = pattern.slice(index);
    if (rest.startsWith("\\")) {
      if (!inClass && /^\\(?:[1-9]|k<)/.test(rest)) return "regex backreferences are not supported.";
      index += 1;
    } else if (inClass) {
      inClass = !rest.startsWith("]");
    } else if (rest.startsWith("[")) {
      inClass = true;
    } else if (lookarounds.some((opening) => rest.startsWith(opening))) {
      return "regex lookaround is not supported.";
    } else if (tooManyRepeats(rest)) {
      return `regex repeats of more than ${repeatLimit} are not supported.`;
    }
  }
  return undefined;
}

function tooManyRepeats(rest: string): boolean {
  const [, low, high] = /^\{(\d+)(?:,(\d*))?\}/.exec(rest) ?? [];
  return Math.max(Number(low ?? 0), Number(high ?? 0)) > repeatLimit;
}
