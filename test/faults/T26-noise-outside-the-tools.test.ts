import { describe, expect, test } from "vitest";
import { imports, ToolProject, tsconfig } from "../support/tool-project.js";

const described = '/** Takes what this test is about. */ @Tool({ effect: "read" })';
const order = "export interface Order { /** Id of the order. */ id: string; count: number }\n";
const tools = `${imports}import type { Order } from "./order.js";
export class T { ${described} run(order: Order): void { console.log(order.id.length.toFixed); const wrong: number = "text"; return wrong; } }
`;
const files = { "src/order.ts": order, "src/tools.ts": tools };

/** Types of two packages that clash, as hoisting brings them together in a workspace. */
const clash = Object.fromEntries(
  ["one", "two"].flatMap((name, index) => [
    [`node_modules/@types/${name}/package.json`, JSON.stringify({ name: `@types/${name}`, types: "index.d.ts" })],
    [
      `node_modules/@types/${name}/index.d.ts`,
      `declare var clash: ${index === 0 ? "string" : "number"}; interface Window { clash: ${index} } declare function describe(${name}: never): void;`,
    ],
  ]),
);

describe("outside of the tools' reach", () => {
  test.each<readonly [string, Readonly<Record<string, string>>]>([
    ["types of packages that clash", { ...clash, "tsconfig.json": tsconfig({ types: ["one", "two"] }) }],
    ["types of packages that are not installed", { "tsconfig.json": tsconfig({ types: ["nowhere", "node"] }) }],
    ["type errors in another file", { "src/noise.ts": 'export const wrong: number = "text"; export const gone: Missing = nowhere();' }],
    ["syntax that the build does not know", { "src/newer.ts": "export const value = match (1) { when 1 -> 2 };\n" }],
    ["a broken declaration of globals", { "src/globals.d.ts": "interface Array<T> { broken: Missing } declare const x: ;" }],
    ["an import of a file that is none", { "src/styles.ts": 'import "./styles.css"; import data from "./data.json"; export { data };' }],
    ["options of a later TypeScript", { "tsconfig.json": tsconfig({ target: "es2030", lib: ["es2030", "dom"], newOption: true }) }],
  ])("%s do not stop the build, and change nothing", async (_, noise) => {
    using quiet = new ToolProject(files);
    using noisy = new ToolProject({ ...files, ...noise });
    expect((await quiet.build()).problems).toEqual([]);
    expect((await noisy.build()).problems).toEqual([]);
    expect(noisy.read("src/toolwright.generated.ts")).toBe(quiet.read("src/toolwright.generated.ts"));
  });
});

describe("inside of it", () => {
  test.each<readonly [string, Readonly<Record<string, string>>, string, RegExp]>([
    [
      "a type that is not there",
      { "src/order.ts": "export interface Order { id: Missing }" },
      "T.run(order).id",
      /Missing cannot be resolved/,
    ],
    [
      "an import that leads nowhere",
      { "src/order.ts": 'export type { Order } from "./gone.js";' },
      "T.run(order)",
      /Order cannot be resolved/,
    ],
    [
      "a base that is not there",
      { "src/order.ts": "export interface Order extends Missing { id: string }" },
      "T.run(order)",
      /extends Missing/,
    ],
    [
      "a type of a package without types",
      {
        "src/order.ts": 'import { Thing } from "untyped"; export interface Order { id: Thing }',
        "node_modules/untyped/package.json": '{ "name": "untyped" }',
        "node_modules/untyped/index.js": "",
      },
      "T.run(order).id",
      /Thing cannot be resolved/,
    ],
    ["syntax in a file with tools", { "src/tools.ts": `${tools}\nexport const broken = ;` }, "Syntax", /Expression expected/],
  ])("%s stops it, and nothing is written", async (_, noise, subject, reason) => {
    using project = new ToolProject({ ...files, ...noise });
    const { ok, files: written, problems } = await project.build();
    expect({ ok, written }).toEqual({ ok: false, written: [] });
    expect(problems.map((problem) => problem.subject)).toEqual([subject]);
    expect(problems[0]?.reason).toMatch(reason);
  });
});
