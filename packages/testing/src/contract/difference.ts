/**
 * The first place where two JSON values differ, in words; undefined when they are equal.
 *
 * @example firstDifference({ a: [1, 2] }, { a: [1, 3] }); // "a[1] is 3, where 2 was expected"
 */
export function firstDifference(expected: unknown, actual: unknown, path = ""): string | undefined {
  if (Object.is(expected, actual)) return undefined;
  if (!isObject(expected) || !isObject(actual) || Array.isArray(expected) !== Array.isArray(actual)) {
    return `${path === "" ? "it" : path} is ${shown(actual)}, where ${shown(expected)} was expected`;
  }
  const keys = new Set([...Object.keys(expected), ...Object.keys(actual)]);
  for (const key of keys) {
    const place = Array.isArray(expected) ? `${path}[${key}]` : path === "" ? key : `${path}.${key}`;
    const found = firstDifference(expected[key], actual[key], place);
    if (found !== undefined) return found;
  }
  return undefined;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === "object" && value !== null;

function shown(value: unknown): string {
  if (value === undefined) return "nothing";
  const text = JSON.stringify(value) ?? `a ${typeof value}`;
  return text.length > 160 ? `${text.slice(0, 160)}…` : text;
}
