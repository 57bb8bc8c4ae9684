import { existsSync, readFileSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { build, orderTools, usualModule } from "../test-support/build.js";
import { temporaryProject } from "../test-support/temporary-project.js";
import { formatProblem } from "./problem.js";

describe("files", () => {
  test("a build writes the module once, and leaves it alone when nothing changed", async () => {
    using project = temporaryProject({ "src/orders.ts": orderTools });
    const first = await build(project.directory);
    expect(first).toMatchObject({
      ok: true,
      files: [{ path: usualModule, state: "written" }],
      tools: ["OrderTools.getOrder"],
      problems: [],
      warnings: [],
    });
    const path = join(project.directory, usualModule);
    utimesSync(path, 1, 1);
    expect((await build(project.directory)).files).toEqual([{ path: usualModule, state: "unchanged" }]);
    expect(statSync(path).mtimeMs).toBe(1000);
  });

  test("the module is as it should be, to the byte", async () => {
    using project = temporaryProject({ "src/orders.ts": orderTools });
    await build(project.directory);
    expect(readFileSync(join(project.directory, usualModule), "utf8"))
      .toBe(`// Written by \`toolwright build\`. Do not edit; run it again instead.
// fingerprint: ${/fingerprint: ([0-9a-f]{64})\n/.exec(readFileSync(join(project.directory, usualModule), "utf8"))?.[1]}
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
      "src/orders.ts": orderTools.replace("orderId: string)", "orderId: Map<string, string>)"),
      [usualModule]: "// before\n",
    });
    const { ok, files, problems } = await build(project.directory);
    expect({ ok, files }).toEqual({ ok: false, files: [] });
    expect(readFileSync(join(project.directory, usualModule), "utf8")).toBe("// before\n");
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
      "src/b.ts": orderTools.replace("OrderTools", "B").replace("orderId: string)", "orderId: symbol)"),
      "src/a.ts": orderTools.replace("OrderTools", "A").replace("orderId: string)", "orderId: any, other: bigint)"),
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
      [file]: orderTools,
    });
    expect((await build(project.directory)).files.map(({ path }) => path)).toEqual([expected]);
  });

  test("a tool package also gets its manifest", async () => {
    using project = temporaryProject({
      "package.json": JSON.stringify({ name: "@acme/tools-orders", version: "1.2.3", type: "module", keywords: ["toolwright-tools"] }),
      "src/orders.ts": orderTools,
    });
    const { files } = await build(project.directory);
    expect(files.map(({ path }) => path)).toEqual([usualModule, "toolwright.manifest.json"]);
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
    using project = temporaryProject({ "src/orders.ts": orderTools });
    expect(await build(project.directory, { check: true })).toMatchObject({ ok: false, staleTools: ["OrderTools.getOrder (added)"] });
    expect(existsSync(join(project.directory, usualModule))).toBe(false);
    await build(project.directory);
    expect(await build(project.directory, { check: true })).toMatchObject({ ok: true, staleTools: [] });
    project.write({
      "src/orders.ts": orderTools
        .replace("orderId: string)", "orderId: number)")
        .replace("return orderId;", "return '';")
        .replace(/\}\n$/, '  /** Lists all of the orders. */ @Tool({ effect: "read" }) list(): void {}\n}\n'),
    });
    expect(await build(project.directory, { check: true })).toMatchObject({
      ok: false,
      files: [{ path: usualModule, state: "stale" }],
      staleTools: ["OrderTools.getOrder (changed)", "OrderTools.list (added)"],
    });
  });

  test("a change that concerns no tool is no staleness", async () => {
    using project = temporaryProject({ "src/orders.ts": orderTools });
    await build(project.directory);
    project.write({ "src/orders.ts": orderTools.replace("return orderId;", "return orderId + orderId;") });
    expect((await build(project.directory, { check: true })).ok).toBe(true);
  });

  test("a checkout with other line ends is not stale", async () => {
    using project = temporaryProject({ "src/orders.ts": orderTools });
    await build(project.directory);
    const text = readFileSync(join(project.directory, usualModule), "utf8");
    project.write({ [usualModule]: text.replaceAll("\n", "\r\n"), "src/orders.ts": orderTools.replaceAll("\n", "\r\n") });
    expect((await build(project.directory, { check: true })).ok).toBe(true);
  });

  test("a module that was edited by hand is stale", async () => {
    using project = temporaryProject({ "src/orders.ts": orderTools });
    await build(project.directory);
    const text = readFileSync(join(project.directory, usualModule), "utf8");
    project.write({ [usualModule]: text.replace("Gets one order", "Gets any order") });
    expect((await build(project.directory, { check: true })).staleTools).toEqual(["OrderTools.getOrder (changed)"]);
  });
});
