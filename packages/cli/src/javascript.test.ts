import { ToolwrightError } from "@toolwright/core";
import { describe, expect, test } from "vitest";
import { temporaryProject } from "../test-support/temporary-project.js";
import { buildProject } from "./build-project.js";

const inJavaScript = `import { Tool } from "@toolwright/core";
export class OrderTools {
  /** Lists all of the open orders. */
  @Tool({ effect: "read" }) list() {}
}
`;
const tools = `import { Tool } from "@toolwright/core";
import { Order } from "./order.js";
export class OtherTools { /** Saves one order with its lines. */ @Tool({ effect: "write" }) save(order: Order): void {} }
`;
const tsconfig = JSON.stringify({
  compilerOptions: { strict: true, module: "nodenext", experimentalDecorators: true, allowJs: true, checkJs: true },
  include: ["src"],
});

async function build(files: Readonly<Record<string, string>>) {
  using project = temporaryProject({ "tsconfig.json": tsconfig, ...files });
  return await buildProject({ cwd: project.directory, cache: false });
}

describe("JavaScript, which has no types to read", () => {
  test("a class of tools there is shown, with what to do", async () => {
    const { problems } = await build({
      "src/a.js": inJavaScript,
      "src/order.ts": "export interface Order { id: string }",
      "src/b.ts": tools,
    });
    expect(problems).toMatchObject([
      {
        ...{ file: "src/a.js", line: 4, column: 3, subject: "OrderTools.list" },
        reason: "A tool in JavaScript has no types, and its schema is made of types.",
        fix: "Rename the file to a.ts and write the types of the parameters, or make the tool by `defineTool` with a schema of your own.",
      },
    ]);
  });

  test("also when it is all there is, also without `allowJs`", async () => {
    expect((await build({ "src/a.js": inJavaScript })).problems).toMatchObject([{ file: "src/a.js", line: 4 }]);
    const error: unknown = await build({
      "src/a.js": inJavaScript,
      "tsconfig.json": tsconfig.replace('"allowJs":true', '"allowJs":false'),
    }).catch((reason: unknown) => reason);
    expect(ToolwrightError.is(error, "BUILD_CONFIG") && error.message).toContain("names no TypeScript file");
  });

  test("what only has the words in it is no tool", async () => {
    const compiled = '/** Uses @Tool. */ import { Tool } from "@toolwright/core";\n// @Tool()\nexport const text = "@Tool()";\n';
    const { ok } = await build({ "src/a.js": compiled, "src/order.ts": "export interface Order { id: string }", "src/b.ts": tools });
    expect(ok).toBe(true);
  });

  test("a type that is declared there is not taken for a wrong import", async () => {
    const { problems } = await build({ "src/order.js": "export class Order { id = ''; }", "src/b.ts": tools });
    expect(problems).toMatchObject([
      {
        file: "src/b.ts",
        reason: "Order is declared in JavaScript, src/order.js, where types are not read.",
        fix: "Rename that file to order.ts and write the types, or put its declarations beside it: order.d.ts.",
      },
    ]);
  });

  test("declarations beside it are read", async () => {
    const { ok } = await build({
      "src/order.js": "export class Order {}",
      "src/order.d.ts": "export interface Order { id: string }",
      "src/b.ts": tools.replace("import {", "import {").replace("import { Order }", "import type { Order }"),
    });
    expect(ok).toBe(true);
  });
});
