/**
 * What an approval predicate answered. Only a boolean counts: "no" is true to JavaScript, and undefined is false.
 *
 * @throws TypeError for anything else; the call then fails before it starts.
 */
export function asBoolean(answer: unknown): boolean {
  if (typeof answer === "boolean") return answer;
  throw new TypeError(`The approval answered ${answer === null ? "null" : typeof answer}, not true or false.`);
}
