/**
 * Where two JSON values first differ, as a path such as `input[3].content`: names and places, never values. Undefined when
 * they are equal; a field that is undefined counts as absent.
 */
export function firstDifference(left: unknown, right: unknown, path = ""): string | undefined {
  if (Object.is(left, right)) return undefined;
  if (Array.isArray(left) && Array.isArray(right)) return listDifference(left, right, path);
  if (!isObject(left) || !isObject(right)) return path;
  for (const key of new Set([...Object.keys(left), ...Object.keys(right)])) {
    const inner = path === "" ? key : `${path}.${key}`;
    const found = firstDifference(left[key], right[key], inner);
    if (found !== undefined) return found;
  }
  return undefined;
}

function listDifference(left: readonly unknown[], right: readonly unknown[], path: string): string | undefined {
  for (let index = 0; index < Math.max(left.length, right.length); index += 1) {
    const found = firstDifference(left[index], right[index], `${path}[${index}]`);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
