import { symlinkSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test } from "vitest";
import { chatThrough } from "../../test-support/chat.js";
import { temporaryProject, type TemporaryProject } from "../../test-support/temporary-project.js";

const agent = (type = "") => `import { Agent } from "@toolwright/core";\nexport const agent${type} = new Agent({ model: "test" });\n`;
// What Node does not run by itself: a decorator, and a name that ends in .js for a file that ends in .ts.
const full = {
  "src/agent.ts": `import { Agent } from "@toolwright/core";
import { Calculator } from "./calculator.js";
export default new Agent({ model: "test", name: new Calculator().add(1, 2) });
`,
  "src/calculator.ts": `import { Param, Tool } from "@toolwright/core";
export class Calculator {
  @Tool("Adds.", { effect: "read" })
  add(@Param("First.") one: number, @Param("Second.") other: number): string {
    return String(one + other);
  }
}
`,
};

let project: TemporaryProject;
afterEach(() => project[Symbol.dispose]());

function given(files: Readonly<Record<string, string>>): void {
  project = temporaryProject(files);
}

const chat = (...parameters: string[]) => chatThrough({ directory: project.directory, parameters, lines: [] });

function installTsx(): void {
  symlinkSync(fileURLToPath(new URL("../../../../node_modules/tsx", import.meta.url)), join(project.directory, "node_modules/tsx"), "dir");
}

describe("the module that is talked to", () => {
  test("is JavaScript as it is", async () => {
    given({ "agent.js": agent() });
    expect(await chat("agent.js")).toEqual({ code: 0, out: "", error: "" });
  });

  test("is TypeScript by the project's own tsx, decorators and all, from another folder too", async () => {
    given(full);
    installTsx();
    expect(await chat()).toEqual({ code: 0, out: "", error: "" });
    const elsewhere = await chatThrough({ directory: "/", parameters: [join(project.directory, "src/agent.ts")], lines: [] });
    expect(elsewhere).toEqual({ code: 0, out: "", error: "" });
  });

  test("is what the project's compiler made of it, which is said", async () => {
    given({
      ...full,
      "tsconfig.json": JSON.stringify({ compilerOptions: { rootDir: "src", outDir: "dist" }, include: ["src"] }),
      "dist/agent.js": agent(),
    });
    expect(await chat("src/agent.ts")).toEqual({ code: 0, out: "", error: "Running dist/agent.js, as it was compiled.\n" });
  });

  test("is not an older file, and what Node can run it runs", async () => {
    given({
      "src/agent.ts": agent(": Agent"),
      "tsconfig.json": JSON.stringify({ compilerOptions: { rootDir: "src", outDir: "dist" }, include: ["src"] }),
      "dist/agent.js": "throw new Error('old');",
    });
    utimesSync(join(project.directory, "dist/agent.js"), 1, 1);
    expect(await chat("src/agent.ts")).toMatchObject({ code: 0, out: "" });
  });

  test("is refused, with what is supported, where none of these helps", async () => {
    given(full);
    const { code, error } = await chat("src/agent.ts");
    expect(code).toBe(2);
    expect(error).toMatch(/agent\.ts cannot be imported: /);
    expect(error).toMatch(/Fix: .*without decorators.*npm install --save-dev tsx.*compile/);
  });

  test.each([
    ["there is no such file", "nowhere.js", /There is no file nowhere\.js\.\nFix: /],
    ["it throws, with the place", "broken.js", /broken\.js cannot be imported: It is broken\.\n {2}at .*broken\.js:2:/],
    ["it exports no agent", "empty.js", /empty\.js exports no agent, only tools\.\nFix: /],
  ])("is refused where %s", async (_, path, message) => {
    given({ "broken.js": '\nthrow new Error("It is broken.");', "empty.js": "export const tools = [];" });
    const { code, out, error } = await chat(path);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(error).toMatch(message);
  });

  test("is looked for in the usual places when none is named", async () => {
    given({});
    const { code, error } = await chat();
    expect(code).toBe(2);
    expect(error).toMatch(/none of src\/agent\.ts, .* here\.\nFix: /);
  });

  test.each([
    ["--app", "{", /What --app gives is not JSON/],
    ["--prices", "[1]", /What --prices gives is no prices by model/],
    ["--agent", "other", /exports no agent "other"/],
  ])("is not started with a wrong %s", async (flag, value, message) => {
    given({ "agent.js": agent() });
    const { code, error } = await chat("agent.js", flag, value);
    expect(code).toBe(2);
    expect(error).toMatch(message);
  });
});
