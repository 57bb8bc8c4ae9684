/** Order of code units: the same on every machine, unlike that of a locale. */
export function compareText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
