/** More would not help a model to mend its call. */
export const MAX_ISSUES = 20;
/** Containers inside containers: arguments deeper than this are refused, whatever the schema says. */
export const MAX_DEPTH = 100;

const MAX_SEGMENT = 64;
const MAX_PATH = 400;
const MAX_TEXT = 400;

/** Joins keys and indices to a dotted path; keys come from a model, so they are cut and made printable. */
export function dottedPath(segments: readonly string[]): string {
  return cut(segments.map((segment) => printable(cut(segment, MAX_SEGMENT))).join("."), MAX_PATH);
}

/** Shortens a rule or a list of names, so that one schema cannot fill a context. */
export function bounded(text: string): string {
  return cut(printable(text), MAX_TEXT);
}

/** A list such as `"a", "b" or 3`, cut after twenty entries. */
export function listed(values: readonly unknown[], word = "or"): string {
  const shown = values.slice(0, 20).map((value) => JSON.stringify(value));
  if (values.length > shown.length) return `${shown.join(", ")}, … (${values.length} in all)`;
  const last = shown.pop() ?? "";
  return shown.length === 0 ? last : `${shown.join(", ")} ${word} ${last}`;
}

function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  // A cut through a surrogate pair would poison every later request that carries the text.
  return `${text.slice(0, length - 1).toWellFormed()}…`;
}

function printable(text: string): string {
  return text.toWellFormed().replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, "�");
}
