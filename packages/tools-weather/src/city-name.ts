/** One form for all spellings of a name that differ in case, diacritics or spaces only. */
export function plainName(name: string): string {
  return name
    .normalize("NFD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/[\s\-’']+/gu, " ")
    .trim();
}
