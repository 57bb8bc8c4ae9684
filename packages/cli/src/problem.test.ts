import { expect, test } from "vitest";
import { type BuildProblem, formatProblem, orderProblems } from "./problem.js";

const problem = (more: Partial<BuildProblem>): BuildProblem => ({
  file: "src/a.ts",
  line: 7,
  column: 3,
  subject: "A.run(x)",
  reason: "It is wrong.",
  fix: "Make it right.",
  excerpt: { text: "\trun(x: any): void {}", start: 8, length: 3 },
  ...more,
});

test("a problem shows its place, the source underlined, the reason and the way out", () => {
  expect(formatProblem(problem({ line: 12 }), "warning")).toBe(
    `src/a.ts:12:3  warning: A.run(x)
  12 |  run(x: any): void {}
     |         ^^^
  It is wrong.
  Fix: Make it right.`,
  );
});

test("of a long line only the part around the mark is shown", () => {
  const text = `${"a".repeat(200)}any${"b".repeat(200)}`;
  const [, line = "", marks = ""] = formatProblem(problem({ excerpt: { text, start: 200, length: 3 } })).split("\n");
  expect(line.length).toBeLessThan(140);
  expect(line.slice(marks.indexOf("^"), marks.lastIndexOf("^") + 1)).toBe("any");
});

test("problems come in the order of the source, each once", () => {
  const [one, two, three] = [problem({ file: "src/b.ts" }), problem({ line: 9 }), problem({ line: 9, column: 1 })];
  expect(orderProblems([one, two, three, two])).toEqual([three, two, one]);
});
