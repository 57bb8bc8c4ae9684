import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { usualModule } from "../test-support/build.js";
import { command, ordersFile, run } from "../test-support/run-command.js";
import { temporaryProject } from "../test-support/temporary-project.js";

const compiler = fileURLToPath(new URL("../../../node_modules/typescript/bin/tsc", import.meta.url));

describe("the command toolwright build", () => {
  test("builds, is content with its own work, notices a change, and builds again", async () => {
    using project = temporaryProject({ "src/orders.ts": ordersFile });
    const { directory } = project;
    expect(await run(command, directory, "build", "--check")).toMatchObject({
      code: 1,
      error: expect.stringContaining("OrderTools.addLines (added)") as string,
    });
    expect(await run(command, directory, "build")).toEqual({ code: 0, out: `1 tool: wrote ${usualModule}\n`, error: "" });
    expect(await run(command, directory, "build", "--check")).toEqual({ code: 0, out: `1 tool: ${usualModule} up to date\n`, error: "" });
    project.write({ "src/orders.ts": ordersFile.replace("The lines to add.", "Lines to add.") });
    expect(await run(command, directory, "build", "--check")).toEqual({
      code: 1,
      out: "",
      error: `Stale: ${usualModule}\n  OrderTools.addLines (changed)\nFix: run \`npx toolwright build\` and commit what it writes.\n`,
    });
    expect((await run(command, directory, "build", "--project", "tsconfig.json")).code).toBe(0);
    expect((await run(command, directory, "build", "--check")).code).toBe(0);
  });

  test("the module that it writes passes the type checker of the project", async () => {
    using project = temporaryProject({
      "src/orders.ts": ordersFile.replace(/throw new Error.*\n/, ""),
      "src/app.ts": `import { Agent } from "@toolwright/core";
import { OrderTools } from "./toolwright.generated.js";
export const tools: OrderTools = new OrderTools();
export const agent = new Agent({ model: "gpt-test", tools: [new OrderTools()] });
export const run = agent.run("Hello.", { app: { user: "ada" } });
`,
      "tsconfig.json": JSON.stringify({
        compilerOptions: {
          ...{ target: "es2024", module: "nodenext", strict: true, exactOptionalPropertyTypes: true, verbatimModuleSyntax: true },
          ...{ noUncheckedIndexedAccess: true, experimentalDecorators: true, skipLibCheck: true, noEmit: true, types: [] },
        },
        include: ["src"],
      }),
    });
    expect((await run(command, project.directory, "build")).code).toBe(0);
    expect(await run(compiler, project.directory, "-p", ".")).toEqual({ code: 0, out: "", error: "" });
  }, 60_000);

  test("refuses types, shows them, writes nothing and exits with 1", async () => {
    using project = temporaryProject({ "src/orders.ts": ordersFile.replace("lines: Line[]", "lines: Record<string, Line>") });
    const { code, out, error } = await run(command, project.directory, "build");
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(error).toBe(`src/orders.ts:19:40  OrderTools.addLines(lines)
  19 |     @Param("The lines to add.") lines: Record<string, Line>,
     |                                        ^^^^^^^^^^^^^^^^^^^^
  Record<string, Line> is an object with free keys; a strict schema lists every key, so it would allow only {}.
  Fix: Use an array of { key: string; value: Line }, or name the keys: { first: Line; second: Line }.

1 problem; nothing was written.
`);
    expect(existsSync(join(project.directory, usualModule))).toBe(false);
  });

  test("warns on the error stream and still succeeds", async () => {
    using project = temporaryProject({ "src/orders.ts": ordersFile.replace('effect: "write", ', "") });
    const { code, error } = await run(command, project.directory, "build");
    expect(code).toBe(0);
    expect(error).toMatch(/^src\/orders\.ts:17:3 {2}warning BUILD_NO_EFFECT: OrderTools\.addLines\n/);
    expect(error).toContain('Fix: Add `effect: "read"`');
    expect(readFileSync(join(project.directory, usualModule), "utf8")).not.toContain('"effect"');
  });

  test.each([
    ["an unknown command", ["bild"], /unknown command 'bild'/],
    ["an unknown option", ["build", "--chek"], /unknown option '--chek'/],
    ["a tsconfig that is not there", ["build", "--project", "nowhere"], /There is no nowhere\.[\s\S]*Fix: /],
    ["no command at all", [], /Usage: toolwright/],
  ])("exits with 2 for %s", async (_, parameters, message) => {
    using project = temporaryProject({ "src/orders.ts": ordersFile });
    const { code, error } = await run(command, project.directory, ...parameters);
    expect(code).toBe(2);
    expect(error).toMatch(message);
  });

  test("explains itself", async () => {
    using project = temporaryProject({});
    const { code, out } = await run(command, project.directory, "build", "--help");
    expect(code).toBe(0);
    expect(out).toMatch(/--check/);
    expect(out).toMatch(/--project/);
  });

  test("tells an editor all in one line of JSON", async () => {
    using project = temporaryProject({
      "src/orders.ts": ordersFile.replace("lines: Line[]", "lines: Record<string, Line>").replace('effect: "write", ', ""),
    });
    const failed = await run(command, project.directory, "build", "--json");
    expect({ code: failed.code, error: failed.error }).toEqual({ code: 1, error: "" });
    expect(failed.out.match(/\n/g)).toHaveLength(1);
    expect(JSON.parse(failed.out)).toMatchObject({
      version: 1,
      ok: false,
      files: [],
      diagnostics: [
        {
          ...{ severity: "error", file: "src/orders.ts", line: 19, column: 40, endLine: 19, endColumn: 60 },
          ...{
            subject: "OrderTools.addLines(lines)",
            message: expect.stringContaining("free keys") as string,
            fix: expect.stringMatching(/^Use an array/) as string,
          },
        },
        { severity: "warning", code: "BUILD_NO_EFFECT", subject: "OrderTools.addLines" },
      ],
    });
    project.write({ "src/orders.ts": ordersFile });
    const built = await run(command, project.directory, "build", "--json");
    expect(built.code).toBe(0);
    expect(JSON.parse(built.out)).toEqual({
      ...{ version: 1, ok: true, files: [{ path: usualModule, state: "written" }], tools: ["OrderTools.addLines"] },
      ...{ outputs: [], staleTools: [], diagnostics: [] },
    });
    const wrong = await run(command, project.directory, "build", "--json", "--project", "nowhere");
    expect(wrong.code).toBe(2);
    expect(JSON.parse(wrong.out)).toMatchObject({
      version: 1,
      ok: false,
      error: { code: "BUILD_CONFIG", fix: expect.stringContaining("--project") as string },
    });
  });

  test("--watch says what each build did, and Ctrl-C ends it", async () => {
    using project = temporaryProject({ "src/orders.ts": ordersFile });
    const child = spawn(process.execPath, [command, "build", "--watch"], { cwd: project.directory });
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (part: string) => (text += part));
    child.stderr.setEncoding("utf8").on("data", (part: string) => (text += part));
    const saw = async (words: string): Promise<void> => {
      while (!text.includes(words)) await new Promise((resolve) => child.stdout.once("data", resolve));
    };
    await saw("Waiting for changes");
    expect(text).toBe(`1 tool: wrote ${usualModule}\nWaiting for changes; Ctrl-C ends.\n`);
    text = "";
    project.write({ "src/orders.ts": ordersFile.replace("The lines to add.", "Lines to add.") });
    await saw("wrote");
    expect(text).toBe(`1 tool: wrote ${usualModule}\n`);
    child.kill("SIGINT");
    expect(await new Promise((resolve) => child.once("exit", resolve))).toBe(0);
  }, 60_000);

  test("--watch goes with neither --check nor --audit", async () => {
    using project = temporaryProject({});
    expect(await run(command, project.directory, "build", "--watch", "--check")).toMatchObject({
      code: 2,
      error: expect.stringContaining("neither") as string,
    });
  });
});
