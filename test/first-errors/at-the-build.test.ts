import { describe, expect, it, vi } from "vitest";
import { changedCalculator, documented, firstProject } from "./first-project.js";

// Compilers and other programs run here, side by side with other tests.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 300_000 });

const second = `  /** Adds two numbers as well. Use it for sums of two. */
  @Tool({ name: "add", effect: "read" })
  sum(@Param("First, e.g. 1") one: number): number {
    return one;
  }
}
`;

describe("first error: the build refuses a tool, with the place, the reason and the way out", () => {
  it.each([
    [
      "`experimentalDecorators` is missing",
      firstProject({}, { experimentalDecorators: undefined }),
      `src/calculator.ts:6:7  Calculator.add(left)
  6 |   add(@Param("First summand, e.g. 2.5") left: number, @Param("Second summand, e.g. 4") right: number): number {
    |       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  ${documented("noExperimentalDecorators")}
  Fix: Add "experimentalDecorators": true to \`compilerOptions\` in the tsconfig, or describe the parameter by \`@param\` in the doc comment.
`,
    ],
    [
      "a tool has no description",
      firstProject(changedCalculator("/** Adds two numbers. Use it for every sum. */", "")),
      `src/calculator.ts:6:3  Calculator.add
  6 |   add(@Param("First summand, e.g. 2.5") left: number, @Param("Second summand, e.g. 4") right: number): number {
    |   ^^^
  ${documented("noDescription")}
  Fix: Write a doc comment above the method, or \`@Tool("…")\`: what it does, and when to use it.
`,
    ],
    [
      "a type has no strict schema",
      firstProject(changedCalculator("right: number", "right: Record<string, number>")),
      `  ${documented("noStrictSchema")}
  Fix: Use an array of { key: string; value: number }, or name the keys: { first: number; second: number }.
`,
    ],
    [
      "two tools of a class have one name",
      firstProject(changedCalculator("}\n}\n", `}\n\n${second}`)),
      `  ${documented("twoToolsBuilt")}
  Fix: Give one tool another name, \`@Tool({ name: "…" })\`, or one class a prefix, \`@Toolkit({ prefix: "…" })\`.
`,
    ],
    [
      "the class is not exported",
      firstProject(changedCalculator("export class", "class")),
      `  A class with tools must be exported from its file: the generated module imports it.
  Fix: Write \`export class Calculator\` at the top level of the file.
`,
    ],
  ])("%s", async (_, given, text) => {
    using project = given;
    const { code, stdout, stderr } = await project.toolwright("build");
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain(text);
    expect(stderr).toMatch(/^src\/calculator\.ts:\d+:\d+ {2}Calculator/m);
    expect(stderr).toMatch(/\n\d problems?; nothing was written\.\n$/);
  });

  it("no method has @Tool", async () => {
    using project = firstProject(changedCalculator('@Tool({ effect: "read" })', ""));
    const { code, stderr } = await project.toolwright("build");
    expect([code, stderr]).toEqual([2, expect.stringContaining(documented("nothingFound"))]);
    expect(stderr).toMatch(
      /^No method with @Tool was found in the \d+ files? of tsconfig\.json\.\nFix: Put `@Tool\(\{ effect: "read" \}\)` from "@toolwright\/core" above a method/,
    );
  });
});

describe("first error: the generated module is stale", () => {
  it("is found in CI, with the tools that differ", async () => {
    using project = firstProject();
    expect((await project.toolwright("build")).code).toBe(0);
    project.write(changedCalculator("left: number", "left: number, @Param('How often, e.g. 2') times: number"));
    expect(await project.toolwright("build", "--check")).toEqual({
      code: 1,
      stdout: "",
      stderr:
        "Stale: src/toolwright.generated.ts\n  Calculator.add (changed)\nFix: run `npx toolwright build` and commit what it writes.\n",
    });
  });

  it.each([
    [
      "a tool was added",
      changedCalculator("}\n}\n", `}\n\n${second.replace('name: "add", ', "")}`),
      "the method sum has @Tool but was not built",
    ],
    ["an option was changed", changedCalculator('effect: "read"', 'effect: "write"'), "the option `effect` of add has changed"],
    [
      "a parameter was added",
      changedCalculator("right: number", "right: number, @Param('How often, e.g. 2') times: number"),
      "the method add takes 3 parameters, and was built with 2",
    ],
  ])("fails at import: %s", async (_, changed, what) => {
    using project = firstProject();
    expect((await project.toolwright("build")).code).toBe(0);
    project.write(changed);
    const { code, stderr } = await project.start();
    expect(code).toBe(1);
    if (what.includes("@Tool")) expect(stderr).toContain(documented("stale"));
    expect(stderr).toContain(
      `ToolwrightError: The generated module does not fit the class Calculator: ${what}.\nFix: Run \`npx toolwright build\`.`,
    );
    expect(stderr).toContain("BUILD_STALE");
    expect(stderr).toMatch(/src\/toolwright\.generated\.ts:\d+/);
  });
});
