import { firstDifference } from "./difference.js";

/** What an object is like now, as text. Models and signals are left out: they are no data. */
export function snapshot(value: object | undefined): string {
  try {
    return JSON.stringify(value, (key, inner: unknown) => (key === "model" || key === "signal" ? undefined : inner)) ?? "";
  } catch {
    return "";
  }
}

/** What is different of an object since a snapshot, in words; undefined when nothing is. */
export function changedSince(before: string, now: object | undefined): string | undefined {
  const after = snapshot(now);
  if (after === before || before === "") return undefined;
  return firstDifference(JSON.parse(before), JSON.parse(after));
}
