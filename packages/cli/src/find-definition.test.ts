import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryProject } from "../test-support/temporary-project.js";
import { buildProject } from "./build-project.js";
import { findDefinition } from "./find-definition.js";

const source = `import { Output, Param, Tool } from "@toolwright/core";
export class OrderTools {
  /** Gets one order with its lines. */
  @Tool({ effect: "read" }) getOrder(@Param("Id of the order.") id: string): void {}
}
export class StockTools {
  /** Counts what is in stock. */
  @Tool({ effect: "read", name: "count" }) countAll(): void {}
  /** Gets one order of stock. */
  @Tool({ effect: "read", name: "get_stock_order" }) getOrder(): void {}
}
/** A plan for one trip. */
@Output({ name: "trip_plan" })
export class TripPlan { /** Where to. */ city!: string }
`;
const definition = {
  type: "function",
  name: "get_order",
  description: "Gets one order with its lines.",
  parameters: {
    type: "object",
    properties: { id: { type: "string", description: "Id of the order." } },
    required: ["id"],
    additionalProperties: false,
  },
  strict: true,
};

test("a tool is found by the model's name and by Class.method, without and with a build before; nothing is written", async () => {
  using project = temporaryProject({ "src/a.ts": source });
  const cwd = project.directory;
  expect(await findDefinition("get_order", { cwd })).toEqual({ owner: "OrderTools.getOrder", definition });
  expect(existsSync(join(cwd, "src/toolwright.generated.ts"))).toBe(false);
  await buildProject({ cwd });
  expect(await findDefinition("get_order", { cwd })).toEqual({ owner: "OrderTools.getOrder", definition });
  expect(await findDefinition("OrderTools.getOrder", { cwd })).toEqual({ owner: "OrderTools.getOrder", definition });
  expect(await findDefinition("countAll", { cwd })).toMatchObject({ owner: "StockTools.countAll", definition: { name: "count" } });
});

test("an output is found by its class and its name", async () => {
  using project = temporaryProject({ "src/a.ts": source });
  const found = await findDefinition("TripPlan", { cwd: project.directory });
  expect(found).toEqual({
    owner: "TripPlan",
    definition: {
      type: "json_schema",
      name: "trip_plan",
      description: "A plan for one trip.",
      schema: {
        type: "object",
        properties: { city: { type: "string", description: "Where to." } },
        required: ["city"],
        additionalProperties: false,
      },
      strict: true,
    },
  });
  expect(await findDefinition("trip_plan", { cwd: project.directory })).toEqual(found);
});

test.each([
  ["get_ordr", 'There is no tool or output "get_ordr".', /^Did you mean get_order\b/],
  ["weather", 'There is no tool or output "weather".', "There are get_order, count, get_stock_order, TripPlan."],
  ["getOrder", '"getOrder" can mean OrderTools.getOrder or StockTools.getOrder.', /schema OrderTools\.getOrder/],
])("%s is answered with a way out", async (name, message, fix) => {
  using project = temporaryProject({ "src/a.ts": source });
  const found = await findDefinition(name, { cwd: project.directory });
  expect(found).toMatchObject({ message, fix: expect.stringMatching(fix) as string });
});

test("with problems there is none, and they are told from where the command runs", async () => {
  using project = temporaryProject({ "src/a.ts": source.replace("id: string", "id: any") });
  const found = await findDefinition("get_order", { cwd: join(project.directory, "src"), project: ".." });
  expect(found).toMatchObject({ problems: [{ file: "a.ts", subject: "OrderTools.getOrder(id)" }] });
});
