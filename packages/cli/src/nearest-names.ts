/** The names that someone who wrote `given` may have meant: at most three, nearest first, none that is far off. */
export function nearestNames(given: string, names: readonly string[]): readonly string[] {
  const plain = simplified(given);
  return names
    .map((name) => ({ name, distance: distanceBetween(plain, simplified(name)) }))
    .filter(({ name, distance }) => distance <= Math.max(1, Math.floor(Math.min(plain.length, name.length) / 3)))
    .sort((one, other) => one.distance - other.distance)
    .slice(0, 3)
    .map(({ name }) => name);
}

/** `getOrder`, `get_order` and `get-order` are one name for whoever looks for it. */
const simplified = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9.]/g, "");

/** Levenshtein's: how many letters must be added, taken away or changed. */
function distanceBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...one].entries()) {
    const next = [index + 1];
    for (const [at, counterpart] of [...other].entries()) {
      next.push(Math.min((row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1, (row[at] ?? 0) + (letter === counterpart ? 0 : 1)));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
