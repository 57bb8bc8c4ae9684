import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { Command } from "commander";
import { describe, expect, it } from "vitest";
import { command, packageApp, packageFiles, packageManifest, packageTool } from "../../test-support/package-app.js";
import type { TemporaryProject } from "../../test-support/temporary-project.js";
import { addCall } from "../commands/call.js";

const config = { environment: { apiKey: "CALL_TEST_API_KEY" }, secrets: ["apiKey"] };
const stock = packageManifest(
  "@acme/tools-stock",
  [
    packageTool("get_stock"),
    packageTool("set_stock", { effect: "write", approval: true }),
    packageTool("wait", { timeoutMs: 50 }),
    packageTool("book", { effect: "write" }),
  ],
  { config },
);
const body = `if (sku === "slow") return new Promise(() => {});
  if (sku === "no") throw new ToolError({ code: "NO_STOCK", message: "There is none." });
  if (sku === "bug") throw new TypeError("cannot with " + this.config.apiKey);
  if (sku === "json") return { sku, path: "C:\\\\new" };
  return "of " + sku;`;
const options = `config: class { apiKey = ""; region = "eu"; }, environment: { apiKey: "CALL_TEST_API_KEY" }, secrets: ["apiKey"], create: (config) => { if (config.region !== "eu") throw new Error(config.region); return [new Tools(config)]; }`;
const agent =
  'import { ToolRegistry } from "@toolwright/core";\nawait ToolRegistry.discover({ from: import.meta.url, allow: { "@acme/tools-stock": { prefix: "acme" } } });';

const app = (files: Readonly<Record<string, string>> = {}): TemporaryProject =>
  packageApp([stock], { ...packageFiles(stock, body, options), ...files });
const call = (project: TemporaryProject, ...parameters: readonly string[]) => command("call", ...parameters, "--folder", project.directory);

describe("toolwright call runs one tool of a package as an agent would", () => {
  it("prints what the model would read, and tells the effect, the owner and the time beside it", async () => {
    using project = app();
    const { code, out, error } = await call(project, "get_stock", '{"sku":"A"}');
    expect([code, out]).toEqual([0, "of A"]);
    expect(error).toMatch(/^get_stock: read; @acme\/tools-stock#Tools\.get_stock; at most 60000 ms\nok after \d+ ms$/);
    expect((await call(project, "get_stock", '{"sku":"json"}')).out).toBe(String.raw`{"sku":"json","path":"C:\\new"}`);
    const json = JSON.parse((await call(project, "get_stock", '{"sku":"A"}', "--json")).out) as object;
    expect(json).toMatchObject({
      version: 1,
      ok: true,
      tool: "get_stock",
      arguments: { sku: "A" },
      outcome: { kind: "ok", output: "of A" },
      attempts: 1,
    });
  });

  it.each([
    [
      "arguments that do not fit",
      "get_stock",
      '{"sku":5,"more":1}',
      1,
      /^invalid: .*\(TOOL_ARGUMENTS_INVALID\)\n {2}sku: expected string, got integer\n {2}more: expected only the keys/m,
    ],
    ["arguments that are no JSON", "get_stock", "{sku}", 1, /\(arguments\): expected a key in double quotes/],
    ["none at all", "get_stock", undefined, 1, /sku: expected string, got nothing/],
    ["an error of the tool", "get_stock", '{"sku":"no"}', 1, /^failed: There is none\. \(NO_STOCK\)$/m],
    [
      "a bug, whose secret is hidden",
      "get_stock",
      '{"sku":"bug"}',
      1,
      /^failed: The tool failed \(reference \w+\)\. .*\ncause, which the model does not read: TypeError: cannot with \[secret\]$/m,
    ],
    ["a tool that takes too long", "wait", '{"sku":"slow"}', 1, /^failed: .*50 ms.*\(TOOL_TIMEOUT\)$/m],
    ["a write that broke, of which nobody knows", "book", '{"sku":"bug"}', 4, /^unknown: /m],
    [
      "a tool that needs approval, and nobody to ask",
      "set_stock",
      '{"sku":"A"}',
      3,
      /there is nobody to ask\. It did not run\.\nFix: .*--yes/,
    ],
    ["arguments that do not fit, before any approval", "set_stock", "{}", 1, /^invalid: /m],
    ["a tool that there is not", "get_stok", "{}", 2, /^There is no tool "get_stok" here\.\nFix: Did you mean get_stock or set_stock\?$/m],
  ])("%s", async (_, tool, text, code, error) => {
    process.env["CALL_TEST_API_KEY"] = "sk-planted-123456";
    try {
      using project = app();
      const ended = await call(project, tool, ...(text === undefined ? [] : [text]));
      expect([ended.code, ended.out, ended.error]).toEqual([code, "", expect.stringMatching(error)]);
      expect(ended.error).not.toContain("planted");
    } finally {
      delete process.env["CALL_TEST_API_KEY"];
    }
  });

  it("with the approval that it is given, or that a person gives", async () => {
    using project = app();
    expect(await call(project, "set_stock", '{"sku":"A"}', "--yes")).toMatchObject({ code: 0, out: "of A" });
    for (const [answer, code, out] of [
      ["y\n", 0, ["of A"]],
      ["n\n", 3, []],
    ] as const) {
      const input = new PassThrough();
      const output = new PassThrough();
      const printed: string[] = [];
      let asked = "";
      output.on("data", (text: Buffer) => {
        asked += String(text);
        if (String(text).includes("[y/N]")) input.write(answer);
      });
      let exit = 0;
      const program = new Command();
      addCall(program, { out: (text) => void printed.push(text), error() {} }, (given) => (exit = given), { input, output });
      await program.parseAsync(["call", "set_stock", '{"sku":"A"}', "--folder", project.directory], { from: "user" });
      expect([exit, printed]).toEqual([code, out]);
      expect(asked).toContain('Run set_stock with {"sku":"A"}? [y/N]');
    }
  });

  it("under the names and limits of the app's allow-list", async () => {
    using project = app({ "src/agent.ts": agent });
    expect(await call(project, "acme_get_stock", '{"sku":"A"}')).toMatchObject({ code: 0, out: "of A" });
    expect((await call(project, "get_stock", '{"sku":"A"}')).error).toBe(
      "@acme/tools-stock has the tool get_stock, but by src/agent.ts:2 it is offered as acme_get_stock.\nFix: Write `toolwright call acme_get_stock`.",
    );
  });

  it("as it was approved only, and with a configuration that holds", async () => {
    using project = app({ "config.json": '{ "region": "mars" }' });
    const wrong = await call(project, "get_stock", '{"sku":"A"}', "--config", join(project.directory, "config.json"));
    expect([wrong.code, wrong.error]).toEqual([1, expect.stringContaining("The package @acme/tools-stock could not be created: Error.")]);
    await command("lock", "--yes", "--folder", project.directory);
    project.write({ "node_modules/@acme/tools-stock/toolwright.manifest.json": JSON.stringify({ ...stock, version: "1.0.1" }) });
    const drifted = await call(project, "get_stock", '{"sku":"A"}');
    expect([drifted.code, drifted.error]).toEqual([
      2,
      expect.stringMatching(/is not what was approved: its version was 1\.0\.0 and is 1\.0\.1\.\nFix: Run `npx toolwright diff`/),
    ]);
  });

  it.each([
    ["--app", "{", /^--app is not JSON\.\nFix: /],
    ["--config", "not-there.json", /^not-there\.json cannot be read\.\nFix: /],
    ["--tools", "/not/there.js", /^\/not\/there\.js cannot be imported: .*\nFix: /],
  ])("a wrong %s is told", async (flag, value, message) => {
    using project = app();
    const ended = await call(project, "get_stock", "{}", flag, value);
    expect([ended.code, ended.error]).toEqual([2, expect.stringMatching(message)]);
  });
});

describe("toolwright call runs the app's own tools", () => {
  const generated = (constructor: string): string => `import { Tool } from "@toolwright/core";
import { registerToolkit } from "@toolwright/core/generated";
class Calculator_ { ${constructor} double(value, context) { return { doubled: 2 * value, app: context.app }; } }
Object.defineProperty(Calculator_, "name", { value: "Calculator" });
Tool({ effect: "read" })(Calculator_.prototype, "double");
export const Calculator = registerToolkit(Calculator_, { "format": 1, "className": "Calculator", "tools": [{ "name": "double", "method": "double", "description": "Doubles.", "effect": "read", "parameters": { "type": "object", "properties": { "value": { "type": "number" } }, "required": ["value"], "additionalProperties": false }, "call": [{ "argument": "value" }, { "context": true }] }] }, { methods: ["double"] });
`;
  const own = (constructor = ""): Readonly<Record<string, string>> => ({
    "tsconfig.json": JSON.stringify({ compilerOptions: { module: "nodenext", rootDir: "src", outDir: "dist" }, include: ["src"] }),
    "src/main.ts": "export {};",
    "src/toolwright.generated.ts": generated(constructor),
    "dist/toolwright.generated.js": generated(constructor),
    "dist/tools.js": 'import { Calculator } from "./toolwright.generated.js"; export default () => [new Calculator("given")];',
  });

  it("by the compiled module, with the context that it is given", async () => {
    using project = app(own());
    expect(await call(project, "double", '{"value":4}', "--app", '{"user":"u"}')).toMatchObject({
      code: 0,
      out: '{"doubled":8,"app":{"user":"u"}}',
    });
  });

  it("or by a module of the app's, where a class takes something", async () => {
    using project = app(own('constructor(needed) { if (needed === undefined) throw new Error("no"); }'));
    const alone = await call(project, "double", '{"value":4}');
    expect([alone.code, alone.error]).toEqual([
      2,
      expect.stringMatching(/^Calculator cannot be made without what its constructor takes\.\nFix: .*--tools/),
    ]);
    const tools = join(project.directory, "dist/tools.js");
    expect(await call(project, "double", '{"value":4}', "--tools", tools)).toMatchObject({ code: 0, out: '{"doubled":8}' });
    expect((await call(project, "dubble", "{}", "--tools", tools)).error).toContain("Did you mean double?");
  });

  it("not before they are compiled", async () => {
    const { "dist/toolwright.generated.js": _, ...sources } = own();
    using project = app(sources);
    expect(readFileSync(join(project.directory, "src/toolwright.generated.ts"), "utf8")).toContain("Calculator");
    expect(await call(project, "double", '{"value":4}')).toMatchObject({
      code: 2,
      error: expect.stringMatching(/^There is no compiled file of src\/toolwright\.generated\.ts, or it is older\.\nFix: Compile first/),
    });
  });
});
