import { existsSync, readFileSync, rmSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { ToolwrightError } from "@toolwright/core";
import { describe, expect, test } from "vitest";
import { temporaryProject } from "../test-support/temporary-project.js";
import { buildProject } from "./build-project.js";
import type { BuildOptions, BuildResult } from "./build-result.js";
import { formatProblem } from "./problem.js";

const orders = `import { Param, Tool } from "@toolwright/core";
export class OrderTools {
  /** Gets one order with all of its lines. */
  @Tool({ effect: "read" })
  getOrder(@Param("Id of the order, e.g. A-17.") orderId: string): string { return orderId; }
}
`;
const generated = "src/toolwright.generated.ts";

const build = (directory: string, options: BuildOptions = {}): Promise<BuildResult> =>
  buildProject({ cwd: directory, cache: false, ...options });

async function failure(action: Promise<unknown>): Promise<ToolwrightError> {
  const error: unknown = await action.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (ToolwrightError.is(error)) return error;
  throw new Error("It did not fail as it should.", { cause: error });
}

describe("files", () => {
  test("a build writes the module once, and leaves it alone when nothing changed", async () => {
    using project = temporaryProject({ "src/orders.ts": orders });
    const first = await build(project.directory);
    expect(first).toMatchObject({
      ok: true,
      files: [{ path: generated, state: "written" }],
      tools: ["OrderTools.getOrder"],
      problems: [],
      warnings: [],
    });
    const path = join(project.directory, generated);
    utimesSync(path, 1, 1);
    expect((await build(project.directory)).files).toEqual([{ path: generated, state: "unchanged" }]);
    expect(statSync(path).mtimeMs).toBe(1000);
  });

  test("the module is as it should be, to the byte", async () => {
    using project = temporaryProject({ "src/orders.ts": orders });
    await build(project.directory);
    expect(readFileSync(join(project.directory, generated), "utf8"))
      .toBe(`// Written by \`toolwright build\`. Do not edit; run it again instead.
// fingerprint: ${/fingerprint: ([0-9a-f]{64})\n/.exec(readFileSync(join(project.directory, generated), "utf8"))?.[1]}
import { registerToolkit } from "@toolwright/core/generated";
import { OrderTools as OrderTools_ } from "./orders.js";

export const OrderTools = registerToolkit(OrderTools_, {
  "format": 1,
  "className": "OrderTools",
  "tools": [
    {
      "name": "get_order",
      "method": "getOrder",
      "description": "Gets one order with all of its lines.",
      "effect": "read",
      "parameters": {
        "type": "object",
        "properties": { "orderId": { "type": "string", "description": "Id of the order, e.g. A-17." } },
        "required": ["orderId"],
        "additionalProperties": false
      },
      "call": [{ "argument": "orderId" }]
    }
  ]
}, { methods: ["getOrder"] });
export type OrderTools = InstanceType<typeof OrderTools>;
`);
  });

  test("with problems nothing is written, and what was there stays", async () => {
    using project = temporaryProject({
      "src/orders.ts": orders.replace("orderId: string)", "orderId: Map<string, string>)"),
      [generated]: "// before\n",
    });
    const { ok, files, problems } = await build(project.directory);
    expect({ ok, files }).toEqual({ ok: false, files: [] });
    expect(readFileSync(join(project.directory, generated), "utf8")).toBe("// before\n");
    expect(problems.map((problem) => formatProblem(problem)).join("\n")).toBe(
      `src/orders.ts:5:59  OrderTools.getOrder(orderId)
  5 |   getOrder(@Param("Id of the order, e.g. A-17.") orderId: Map<string, string>): string { return orderId; }
    |                                                           ^^^^^^^^^^^^^^^^^^^
  Map is an object of the run time, not data: it has no form in JSON.
  Fix: Use an array of { key: string; value: … }, and make the Map in the method.`,
    );
  });

  test("problems of all tools come at once, in the order of the source", async () => {
    using project = temporaryProject({
      "src/b.ts": orders.replace("OrderTools", "B").replace("orderId: string)", "orderId: symbol)"),
      "src/a.ts": orders.replace("OrderTools", "A").replace("orderId: string)", "orderId: any, other: bigint)"),
    });
    const { problems } = await build(project.directory);
    expect(problems.map(({ file, subject }) => [file, subject])).toEqual([
      ["src/a.ts", "A.getOrder(orderId)"],
      ["src/a.ts", "A.getOrder(other)"],
      ["src/b.ts", "B.getOrder(orderId)"],
    ]);
  });

  test.each([
    ["rootDir", { rootDir: "lib" }, "lib/tools.ts", "lib/toolwright.generated.ts"],
    ["src", {}, "src/deep/tools.ts", "src/toolwright.generated.ts"],
    ["src below a rootDir that is the project", { rootDir: "." }, "src/tools.ts", "src/toolwright.generated.ts"],
    ["the project itself", {}, "tools.ts", "toolwright.generated.ts"],
  ])("the module is written to %s", async (_, options, file, expected) => {
    using project = temporaryProject({
      "tsconfig.json": JSON.stringify({ compilerOptions: { experimentalDecorators: true, strict: true, module: "nodenext", ...options } }),
      [file]: orders,
    });
    expect((await build(project.directory)).files.map(({ path }) => path)).toEqual([expected]);
  });

  test("a tool package also gets its manifest", async () => {
    using project = temporaryProject({
      "package.json": JSON.stringify({ name: "@acme/tools-orders", version: "1.2.3", type: "module", keywords: ["toolwright-tools"] }),
      "src/orders.ts": orders,
    });
    const { files } = await build(project.directory);
    expect(files.map(({ path }) => path)).toEqual([generated, "toolwright.manifest.json"]);
    const manifest = JSON.parse(readFileSync(join(project.directory, "toolwright.manifest.json"), "utf8")) as object;
    expect(manifest).toMatchObject({
      format: 1,
      package: "@acme/tools-orders",
      version: "1.2.3",
      toolkits: [{ format: 1, className: "OrderTools", package: "@acme/tools-orders", tools: [{ name: "get_order" }] }],
    });
  });
});

describe("--check", () => {
  test("writes nothing, and names the tools that changed", async () => {
    using project = temporaryProject({ "src/orders.ts": orders });
    expect(await build(project.directory, { check: true })).toMatchObject({ ok: false, staleTools: ["OrderTools.getOrder (added)"] });
    expect(existsSync(join(project.directory, generated))).toBe(false);
    await build(project.directory);
    expect(await build(project.directory, { check: true })).toMatchObject({ ok: true, staleTools: [] });
    project.write({
      "src/orders.ts": orders
        .replace("orderId: string)", "orderId: number)")
        .replace("return orderId;", "return '';")
        .replace(/\}\n$/, '  /** Lists all of the orders. */ @Tool({ effect: "read" }) list(): void {}\n}\n'),
    });
    expect(await build(project.directory, { check: true })).toMatchObject({
      ok: false,
      files: [{ path: generated, state: "stale" }],
      staleTools: ["OrderTools.getOrder (changed)", "OrderTools.list (added)"],
    });
  });

  test("a change that concerns no tool is no staleness", async () => {
    using project = temporaryProject({ "src/orders.ts": orders });
    await build(project.directory);
    project.write({ "src/orders.ts": orders.replace("return orderId;", "return orderId + orderId;") });
    expect((await build(project.directory, { check: true })).ok).toBe(true);
  });

  test("a checkout with other line ends is not stale", async () => {
    using project = temporaryProject({ "src/orders.ts": orders });
    await build(project.directory);
    const text = readFileSync(join(project.directory, generated), "utf8");
    project.write({ [generated]: text.replaceAll("\n", "\r\n"), "src/orders.ts": orders.replaceAll("\n", "\r\n") });
    expect((await build(project.directory, { check: true })).ok).toBe(true);
  });

  test("a module that was edited by hand is stale", async () => {
    using project = temporaryProject({ "src/orders.ts": orders });
    await build(project.directory);
    const text = readFileSync(join(project.directory, generated), "utf8");
    project.write({ [generated]: text.replace("Gets one order", "Gets any order") });
    expect((await build(project.directory, { check: true })).staleTools).toEqual(["OrderTools.getOrder (changed)"]);
  });
});

describe("what keeps a build from starting", () => {
  test.each([
    ["no tsconfig", {}, "missing.json", /There is no missing\.json/, /--project/],
    ["a tsconfig that is no JSON", { "tsconfig.json": "{ nonsense" }, undefined, /tsconfig\.json: /, /Correct the tsconfig/],
    [
      "one that extends what is not there",
      { "tsconfig.json": '{ "extends": "./base.json" }' },
      undefined,
      /base\.json/,
      /Correct the tsconfig/,
    ],
    ["one without files", { "tsconfig.json": '{ "include": ["nowhere"] }' }, undefined, /names no TypeScript file/, /include/],
    [
      "one with references only",
      { "tsconfig.json": '{ "files": [], "references": [{ "path": "./app" }] }' },
      undefined,
      /only references/,
      /--project app/,
    ],
    ["no tools", { "src/orders.ts": "export {};" }, undefined, /No method with @Tool/, /@Tool\(/],
    ["a package.json that is no JSON", { "package.json": "{" }, undefined, /package\.json is not JSON/, /package\.json/],
  ])("%s", async (_, files, given, message, fix) => {
    using project = temporaryProject({ "src/orders.ts": orders, ...files });
    const error = await failure(build(project.directory, { project: given }));
    expect(error.code).toBe("BUILD_CONFIG");
    expect(error.message).toMatch(message);
    expect(error.fix).toMatch(fix);
  });

  test("core that is not installed", async () => {
    using project = temporaryProject({ "src/orders.ts": orders });
    rmSync(join(project.directory, "node_modules/@toolwright"), { recursive: true });
    const error = await failure(build(project.directory));
    expect(error.message).toMatch(/src\/orders\.ts imports @toolwright\/core, which is not installed/);
  });
});

describe("tsconfigs as they are", () => {
  test("options of other versions of TypeScript do not stop the build", async () => {
    using project = temporaryProject({
      "tsconfig.json": JSON.stringify({
        compilerOptions: { experimentalDecorators: true, strict: true, target: "es2099", module: "commonjs", futureOption: true },
      }),
      "src/orders.ts": orders,
    });
    expect((await build(project.directory)).ok).toBe(true);
  });

  test("loose null checks are remarked on, and types are read with strict ones", async () => {
    using project = temporaryProject({
      "tsconfig.json": JSON.stringify({ compilerOptions: { experimentalDecorators: true, strict: false } }),
      "src/orders.ts": orders.replace("orderId: string)", "orderId: string | null)").replace("return orderId;", "return '';"),
    });
    const { ok, warnings } = await build(project.directory);
    expect(ok).toBe(true);
    expect(warnings.map(({ file, subject }) => [file, subject])).toEqual([["tsconfig.json", "strictNullChecks"]]);
    expect(readFileSync(join(project.directory, generated), "utf8")).toContain('"type": ["string", "null"]');
  });

  test("a folder, another file, and one that extends a base with path aliases", async () => {
    using project = temporaryProject({
      "base.json": JSON.stringify({
        compilerOptions: { experimentalDecorators: true, strict: true, module: "nodenext", paths: { "@dto/*": ["./shared/*"] } },
      }),
      "shared/pallet.ts": "/** A pallet. */ export interface Pallet { weight: number } export class Box { size!: number }",
      "app/package.json": '{ "type": "module" }',
      "app/tsconfig.json": JSON.stringify({ extends: "../base.json", include: ["src"] }),
      "app/src/tools.ts": `import type { Pallet } from "@dto/pallet"; import { Box } from "@dto/pallet"; import { Tool } from "@toolwright/core";
        export class A { /** Moves the pallet and boxes. */ @Tool({ effect: "read" }) move(pallet: Pallet, boxes: Box[]): void {} }`,
    });
    expect(await build(project.directory, { project: "app" })).toMatchObject({ ok: true, problems: [] });
    const text = readFileSync(join(project.directory, "app/src/toolwright.generated.ts"), "utf8");
    expect(text).toContain('"properties": { "weight": { "type": "number" } }');
    // Outside of the project, so it is imported as the author imports it.
    expect(text).toContain('import { Box } from "@dto/pallet";');
    expect((await build(project.directory, { project: "app/tsconfig.json", check: true })).ok).toBe(true);
    project.write({ "shared/pallet.ts": "export interface Pallet { weight: any } export class Box { size!: number }" });
    const { problems } = await build(project.directory, { project: "app" });
    expect(problems.map(({ file, subject }) => [file, subject])).toEqual([["shared/pallet.ts", "A.move(pallet).weight"]]);
  });

  test("errors outside of the tools' reach do not stop the build, a syntax error in a file with tools does", async () => {
    using project = temporaryProject({
      "src/orders.ts": orders,
      "src/noise.ts": "export const wrong: number = 'text'; let x = ;",
      "src/globals.d.ts": "interface Array<T> { broken: Missing }",
    });
    expect((await build(project.directory)).ok).toBe(true);
    project.write({ "src/orders.ts": `${orders}\nexport const broken = ;` });
    expect((await build(project.directory)).problems.map(({ file, subject }) => [file, subject])).toEqual([["src/orders.ts", "Syntax"]]);
  });
});
