import { compareText } from "./compare.js";
import type { WarningCode } from "./warnings.js";

/** A line of the source, with the part that a problem is about. */
export interface Excerpt {
  readonly text: string;
  /** Zero-based offset in `text`. */
  readonly start: number;
  readonly length: number;
}

/** One thing that is wrong with the tools of a project, or that its author should know. */
export interface BuildProblem {
  /** Relative to the folder that the build was started in, with `/`. */
  readonly file: string;
  /** One-based. */
  readonly line: number;
  /** One-based. */
  readonly column: number;
  /** What it is about, e.g. `OrderTools.findOrders(query).filter.tags`. */
  readonly subject: string;
  /** Why, in plain words. */
  readonly reason: string;
  /** A way out. */
  readonly fix: string;
  readonly excerpt: Excerpt | undefined;
  /** Of a warning, and of one that the settings made an error: what the settings call it. */
  readonly code?: WarningCode | undefined;
}

/** Where something is in the author's source. */
export type Place = Pick<BuildProblem, "file" | "line" | "column" | "excerpt">;

/** Sorts by place, and drops what is said twice: types and base classes are met once for each tool that uses them. */
export function orderProblems(problems: readonly BuildProblem[]): readonly BuildProblem[] {
  const seen = new Set<string>();
  const distinct = problems.filter((problem) => {
    const key = `${problem.file}:${problem.line}:${problem.column}:${problem.reason}`;
    return !seen.has(key) && seen.add(key);
  });
  return distinct.sort(
    (one, other) =>
      compareText(one.file, other.file) || one.line - other.line || one.column - other.column || compareText(one.reason, other.reason),
  );
}

/** The form of problems on a terminal: the place, the source underlined, the reason, and the way out. */
export function formatProblem(problem: BuildProblem, kind: "error" | "warning" = "error"): string {
  const { file, line, column, subject, reason, fix, excerpt, code } = problem;
  const words = [...(kind === "warning" ? ["warning"] : []), ...(code === undefined ? [] : [code])].join(" ");
  const lines = [`${file}:${line}:${column}  ${words === "" ? "" : `${words}: `}${subject}`];
  if (excerpt !== undefined) {
    const { text, start, length } = windowOf(excerpt);
    const number = String(line);
    lines.push(`  ${number} | ${text}`, `  ${" ".repeat(number.length)} | ${" ".repeat(start)}${"^".repeat(Math.max(1, length))}`);
  }
  lines.push(`  ${reason}`, `  Fix: ${fix}`);
  return lines.join("\n");
}

const widest = 120;

/** The part of a long line that has the marked text. Tabs would shift the marks away from the text above them. */
function windowOf({ text, start, length }: Excerpt): Excerpt {
  const plain = text.replaceAll("\t", " ").trimEnd();
  if (plain.length <= widest) return { text: plain, start, length };
  const from = Math.max(0, Math.min(start - 20, plain.length - widest));
  const shown = plain.slice(from, from + widest);
  const cut = `${from === 0 ? "" : "…"}${shown}${from + widest < plain.length ? "…" : ""}`;
  const offset = start - from + (from === 0 ? 0 : 1);
  return { text: cut, start: offset, length: Math.min(length, cut.length - offset) };
}
