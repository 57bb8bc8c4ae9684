import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryProject } from "../test-support/temporary-project.js";
import { buildProject } from "./build-project.js";

const tool = '/** Does one thing, and tells which. */ @Tool({ effect: "read" }) one';

async function build(files: Readonly<Record<string, string>>) {
  const sources = Object.entries(files).map(([name, text]) => [`src/${name}`, `import { Output, Tool } from "@toolwright/core";\n${text}`]);
  using project = temporaryProject(Object.fromEntries(sources) as Record<string, string>);
  const { ok, tools, outputs, problems } = await buildProject({ cwd: project.directory, cache: false });
  const module = ok ? readFileSync(join(project.directory, "src/toolwright.generated.ts"), "utf8") : "";
  return { tools, outputs, problems, module, imports: module.split("\n").filter((line) => line.includes(' from "./')) };
}

describe("a class is known by the name that its file exports it by", () => {
  test.each([
    ["as it is", `export class Own { ${tool}(): void {} }`, "Own", 'import { Own as Own_ } from "./a.js";'],
    ["renamed", `class Own { ${tool}(): void {} }\nexport { Own as Renamed };`, "Renamed", 'import { Renamed as Renamed_ } from "./a.js";'],
    ["default, with a name", `export default class Own { ${tool}(): void {} }`, "Own", 'import { default as Own_ } from "./a.js";'],
    ["default, apart", `class Own { ${tool}(): void {} }\nexport default Own;`, "Own", 'import { default as Own_ } from "./a.js";'],
    ["twice", `class Own { ${tool}(): void {} }\nexport { Own as B, Own as A, Own as default };`, "A", 'import { A as A_ } from "./a.js";'],
    [
      "by a name that nothing else can have",
      `class Own { ${tool}(): void {} }\nexport { Own as if };`,
      "Own",
      'import { if as Own_ } from "./a.js";',
    ],
  ])("%s", async (_, text, name, line) => {
    const { tools, imports, module } = await build({ "a.ts": text });
    expect({ tools, imports }).toEqual({ tools: [`${name}.one`], imports: [line] });
    expect(module).toContain(`export const ${name} = registerToolkit(${name}_, {`);
    expect(module).toContain(`"className": "${name}"`);
  });

  test("so are DTO classes and outputs, and two of one name are no twins when they are exported by different ones", async () => {
    const { imports, outputs, problems } = await build({
      "a.ts": `class Order { id!: string }\nexport { Order as SalesOrder };\nexport class A { ${tool}(order: Order, more: string): void {} }`,
      "b.ts": `export class Order { id!: string }\nexport class B { ${tool}B(order: Order, more: string): void {} }`,
      "c.ts": "/** An answer. */ @Output() class Answer { /** The text. */ text!: string }\nexport { Answer as Reply };",
    });
    expect(problems).toEqual([]);
    expect(outputs).toEqual(["Reply"]);
    expect(imports).toEqual([
      'import { A as A_, SalesOrder } from "./a.js";',
      'import { B as B_, Order } from "./b.js";',
      'import { Reply as Reply_ } from "./c.js";',
    ]);
  });

  test("a file that exports it again is another way to it, not another class", async () => {
    const { tools, imports } = await build({
      "deep/a.ts": `export class Own { ${tool}(): void {} }`,
      "index.ts": 'export * from "./deep/a.js";\nexport { Own as Same } from "./deep/a.js";\nexport * as all from "./deep/a.js";',
    });
    expect({ tools, imports }).toEqual({ tools: ["Own.one"], imports: ['import { Own as Own_ } from "./deep/a.js";'] });
  });
});

describe("what the generated module could not import is refused", () => {
  test.each([
    ["not exported", `class Own { ${tool}(): void {} }`, "must be exported from its file", "Write `export class Own`"],
    ["as a type only", `class Own { ${tool}(): void {} }\nexport type { Own };`, "is exported as a type only", "Write `export { Own }`"],
    [
      "as a type only, by specifier",
      `class Own { ${tool}(): void {} }\nexport { type Own };`,
      "is exported as a type only",
      "Write `export { Own }`",
    ],
    [
      "by a text",
      `class Own { ${tool}(): void {} }\nexport { Own as "my own" };`,
      "must be exported from its file",
      "Write `export class Own`",
    ],
    ["in a namespace", `export namespace N { export class Own { ${tool}(): void {} } }`, "must be exported from its file", "top level"],
    ["default, without a name", `export default class { ${tool}(): void {} }`, "needs a name of its own", "`export class MyTools"],
    ["an expression", `export const Own = class Inner { ${tool}(): void {} };`, "must be a declaration", "`export class Inner"],
  ])("%s", async (_, text, reason, fix) => {
    const { problems } = await build({ "a.ts": text });
    expect(problems).toHaveLength(1);
    expect(problems[0]?.reason).toContain(reason);
    expect(problems[0]?.fix).toContain(fix);
  });

  test.each([
    [
      "a DTO class that is exported as a type only",
      "class Order { id!: string }\nexport type { Order };",
      "Order",
      "is exported as a type only",
    ],
    [
      "one that is an expression",
      "export const Order = class { id = 'x' };\nexport type Order = InstanceType<typeof Order>;",
      "Order",
      "is a class expression",
    ],
  ])("%s", async (_, types, name, reason) => {
    const { problems } = await build({ "a.ts": `${types}\nexport class A { ${tool}(order: ${name}, more: string): void {} }` });
    expect(problems.map((problem) => problem.reason)).toEqual([expect.stringContaining(reason)]);
  });
});
