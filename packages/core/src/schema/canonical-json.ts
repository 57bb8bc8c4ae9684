/**
 * JSON text that is the same for equal values, whatever the order of their keys.
 *
 * @param value - what JSON can carry; fields that are undefined count as absent.
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, field: unknown) => {
    if (typeof field !== "object" || field === null || Array.isArray(field)) return field;
    return Object.fromEntries(Object.entries(field).sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0)));
  });
}
