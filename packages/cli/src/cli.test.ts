import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { temporaryProject } from "../test-support/temporary-project.js";

const command = fileURLToPath(new URL("../bin/toolwright.js", import.meta.url));
const compiler = fileURLToPath(new URL("../../../node_modules/typescript/bin/tsc", import.meta.url));

interface Exit {
  readonly code: number;
  readonly out: string;
  readonly error: string;
}

function run(script: string, directory: string, ...parameters: readonly string[]): Promise<Exit> {
  return new Promise((resolve) => {
    execFile(process.execPath, [script, ...parameters], { cwd: directory, encoding: "utf8" }, (failure, out, error) => {
      resolve({ code: failure === null ? 0 : Number(failure.code), out, error });
    });
  });
}

const orders = `import { Param, Tool, type ToolContext } from "@toolwright/core";
import { IsInt, Min } from "class-validator";

// An application's code is read, never run.
throw new Error("The build must not run this.");

export class Line {
  /** Article number, e.g. A-17. */
  sku!: string;
  /** How many. */
  @IsInt() @Min(1) count = 1;
}

export class OrderTools {
  /** Adds lines to an order, and tells the new total. */
  @Tool({ effect: "write", resource: "order:{orderId}" })
  addLines(
    @Param("Id of the order, e.g. 2024-17.") orderId: string,
    @Param("The lines to add.") lines: Line[],
    context: ToolContext<{ user: string }>,
  ): number {
    return lines.length + orderId.length + context.app.user.length;
  }
}
`;
const generated = "src/toolwright.generated.ts";

describe("the command toolwright build", () => {
  test("builds, is content with its own work, notices a change, and builds again", async () => {
    using project = temporaryProject({ "src/orders.ts": orders });
    const { directory } = project;
    expect(await run(command, directory, "build", "--check")).toMatchObject({
      code: 1,
      error: expect.stringContaining("OrderTools.addLines (added)") as string,
    });
    expect(await run(command, directory, "build")).toEqual({ code: 0, out: `1 tool: wrote ${generated}\n`, error: "" });
    expect(await run(command, directory, "build", "--check")).toEqual({ code: 0, out: `1 tool: ${generated} up to date\n`, error: "" });
    project.write({ "src/orders.ts": orders.replace("The lines to add.", "Lines to add.") });
    expect(await run(command, directory, "build", "--check")).toEqual({
      code: 1,
      out: "",
      error: `Stale: ${generated}\n  OrderTools.addLines (changed)\nFix: run \`npx toolwright build\` and commit what it writes.\n`,
    });
    expect((await run(command, directory, "build", "--project", "tsconfig.json")).code).toBe(0);
    expect((await run(command, directory, "build", "--check")).code).toBe(0);
  });

  test("the module that it writes passes the type checker of the project", async () => {
    using project = temporaryProject({
      "src/orders.ts": orders.replace(/throw new Error.*\n/, ""),
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
    using project = temporaryProject({ "src/orders.ts": orders.replace("lines: Line[]", "lines: Record<string, Line>") });
    const { code, out, error } = await run(command, project.directory, "build");
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(error).toBe(`src/orders.ts:19:40  OrderTools.addLines(lines)
  19 |     @Param("The lines to add.") lines: Record<string, Line>,
     |                                        ^^^^^^^^^^^^^^^^^^^^
  Record<string, Line> is an object with free keys; a strict schema lists every key, so it would allow only {}.
  Fix: Use an array of { key: string; value: Line }, or name the keys: { first: Line; second: Line }.

1 problem; nothing was written.
`);
    expect(existsSync(join(project.directory, generated))).toBe(false);
  });

  test("warns on the error stream and still succeeds", async () => {
    using project = temporaryProject({ "src/orders.ts": orders.replace('effect: "write", ', "") });
    const { code, error } = await run(command, project.directory, "build");
    expect(code).toBe(0);
    expect(error).toMatch(/^src\/orders\.ts:17:3 {2}warning: OrderTools\.addLines\n/);
    expect(error).toContain('Fix: Add `effect: "read"`');
    expect(readFileSync(join(project.directory, generated), "utf8")).not.toContain('"effect"');
  });

  test.each([
    ["an unknown command", ["bild"], /unknown command 'bild'/],
    ["an unknown option", ["build", "--chek"], /unknown option '--chek'/],
    ["a tsconfig that is not there", ["build", "--project", "nowhere"], /There is no nowhere\.[\s\S]*Fix: /],
    ["no command at all", [], /Usage: toolwright/],
  ])("exits with 2 for %s", async (_, parameters, message) => {
    using project = temporaryProject({ "src/orders.ts": orders });
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
});
