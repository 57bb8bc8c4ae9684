import { describe, expect, it, vi } from "vitest";
import { changedMain, documented, documentedErrors, firstErrors, firstProject } from "./first-project.js";

// Compilers and other programs run here, side by side with other tests.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 300_000 });

describe("first error: the build was forgotten", () => {
  it("the compiler and the run name the module that is missing", async () => {
    using project = firstProject();
    const compiled = await project.typecheck();
    expect(compiled.code).not.toBe(0);
    expect(compiled.stdout).toContain(documented("notBuilt"));
    const run = await project.start();
    expect(run.code).toBe(1);
    expect(run.stderr).toMatch(/ERR_MODULE_NOT_FOUND.*src\/toolwright\.generated/s);
  });

  it("`npx toolwright build` is the fix", async () => {
    using project = firstProject();
    expect(await project.toolwright("build")).toEqual({ code: 0, stdout: "1 tool: wrote src/toolwright.generated.ts\n", stderr: "" });
    expect(await project.typecheck()).toEqual({ code: 0, stdout: "", stderr: "" });
  });
});

describe("first error: the class is imported from its source, not from the generated module", () => {
  const fromSource = () => firstProject(changedMain("./toolwright.generated.js", "./calculator.js"));

  it("does not compile, and the error names the module", async () => {
    using project = fromSource();
    expect((await project.toolwright("build")).code).toBe(0);
    const { code, stdout } = await project.typecheck();
    expect(code).not.toBe(0);
    expect(stdout).toMatch(/^src\/main\.ts\(4,58\): error TS/m);
    expect(stdout).toContain(documented("sourceDoesNotCompile"));
  });

  it("fails at construction, with the import to write", async () => {
    using project = fromSource();
    const { code, stderr } = await project.start();
    expect(code).toBe(1);
    expect(stderr).toContain(`ToolwrightError: ${documented("sourceNotRegistered")}
`);
    expect(stderr).toContain(
      'Fix: Export Calculator, run `npx toolwright build`, and write `import { Calculator } from "./toolwright.generated.js"`.',
    );
    expect(stderr).toContain("TOOL_UNREGISTERED");
    expect(stderr).toMatch(/src\/main\.ts:4:/);
  });
});

it("docs/first-errors.md quotes the errors of these tests, and no others", () => {
  expect(documentedErrors.map((text) => Object.values(firstErrors).find((start) => text.startsWith(start)))).toEqual(
    Object.values(firstErrors),
  );
});
