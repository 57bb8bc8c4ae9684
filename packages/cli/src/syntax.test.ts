import { describe, expect, test } from "vitest";
import { temporaryProject } from "../test-support/temporary-project.js";
import { buildProject } from "./build-project.js";
import { formatProblem } from "./problem.js";

const tools = `import { Tool } from "@toolwright/core";
import type { Order } from "./order.js";
export class OrderTools { /** Saves one order with its lines. */ @Tool({ effect: "write" }) save(order: Order): void {} }
`;
const order = "export interface Order {\n  /** A-17. */ id: string;\n  /** In cents. */ total: number;\n}\n";

async function problemsOf(files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  using project = temporaryProject({ "src/tools.ts": tools, "src/order.ts": order, ...files });
  const { problems, warnings } = await buildProject({ cwd: project.directory, cache: false });
  expect(warnings).toEqual([]);
  return problems.map((problem) => formatProblem(problem));
}

describe("a file that does not parse", () => {
  test("is shown where it breaks, and nothing is said that may only come of that", async () => {
    const broken = tools.replace("save(order: Order)", "save(order: Order");
    expect(await problemsOf({ "src/tools.ts": broken })).toEqual([
      `src/tools.ts:3:110  Syntax
  3 | export class OrderTools { /** Saves one order with its lines. */ @Tool({ effect: "write" }) save(order: Order: void {} }
    |                                                                                                              ^
  ',' expected.
  Fix: Correct the syntax: until then it is not certain what the file says.`,
    ]);
  });

  test("is told when it has types of tools, though they could be read", async () => {
    const [first, ...others] = await problemsOf({ "src/order.ts": order.replace("total: number;", "total: number,; note?: string") });
    expect(first).toContain("src/order.ts:3:34  Syntax\n");
    expect(first).toContain("Property or signature expected.");
    expect(others).toEqual([]);
  });

  test("comes before what cannot be resolved because of it", async () => {
    const problems = await problemsOf({ "src/order.ts": order.replace("interface Order", "intreface Order") });
    expect(problems.map((problem) => problem.split("\n")[0])).toEqual([
      "src/order.ts:1:1  Syntax",
      "src/tools.ts:3:105  OrderTools.save(order)",
    ]);
  });

  test("is the reason why there are no tools", async () => {
    const [first] = await problemsOf({
      "src/order.ts": "export {};",
      "src/decorators.ts": 'export { Tool } from "@toolwright/core";',
      "src/tools.ts": 'import { Tool } from "./decorators.js";\nexport const OrderTools { @Tool() save(): void {} }',
    });
    expect(first).toMatch(/^src\/tools\.ts:2:\d+ {2}Syntax\n/);
  });

  test("is no concern of a build whose tools do not reach it", async () => {
    expect(await problemsOf({ "src/noise.ts": 'import type { Order } from "./order.js"; let x = ;' })).toEqual([]);
  });
});
