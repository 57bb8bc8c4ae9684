import type { ProblemText } from "./project.js";

/** What is said of a tool whose name another one has for the model. */
export const sameName = (other: string, name: string): ProblemText => ({
  reason: `${other} is named "${name}" for the model too.`,
  fix: 'Give one tool another name, `@Tool({ name: "…" })`, or one class a prefix, `@Toolkit({ prefix: "…" })`.',
});
