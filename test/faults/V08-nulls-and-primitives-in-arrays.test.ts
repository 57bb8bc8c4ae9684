import { Tool } from "@toolwright/core";
import { IsInt, ValidateNested } from "class-validator";
import { expect, it } from "vitest";
import { callTool, object, toolkit } from "../support/call-tool.js";

class Line {
  @IsInt() qty!: number;
}
class Order {
  @ValidateNested({ each: true }) lines!: Line[];
}
class Shop {
  @Tool({ effect: "read" })
  order(order: Order): string {
    return `${order.lines.length} lines`;
  }
}

it("V08: null and primitives in an array of classes are named by their index, and nothing crashes", async () => {
  const parameters = object({ lines: { type: "array", items: object({ qty: { type: "integer" } }) } });
  const decode = { dto: "Order", properties: { lines: { items: { dto: "Line" } } } };
  const order = toolkit(Shop, { order: { parameters, decode, call: [{ arguments: true }] } }, { Order, Line });
  const { issues, calls } = await callTool(order, "order", [
    '{"lines":[null]}',
    '{"lines":[{"qty":1},1]}',
    '{"lines":{"0":{}}}',
    '{"lines":[{"qty":1}]}',
  ]);
  expect(issues).toEqual([
    [{ path: "lines.0", expected: "object", received: "null" }],
    [{ path: "lines.1", expected: "object", received: "integer" }],
    [{ path: "lines", expected: "array", received: "object" }],
    [],
  ]);
  expect(calls.at(-1)?.outcome).toMatchObject({ kind: "ok", output: "1 lines" });
});

it("V08: two hundred thousand wrong elements are answered soon, by twenty issues", async () => {
  const parameters = object({ lines: { type: "array", items: object({ qty: { type: "number" } }) } });
  const decode = { dto: "Order", properties: { lines: { items: { dto: "Line" } } } };
  const order = toolkit(Shop, { order: { parameters, decode, call: [{ arguments: true }] } }, { Order, Line });
  // The schema lets fractions pass, the class does not.
  const many = (element: string): string => `{"lines":[${Array.from({ length: 200_000 }, () => element).join(",")}]}`;
  const start = performance.now();
  const { issues } = await callTool(order, "order", [many('{"qty":0.5}'), many("null")]);
  expect(performance.now() - start).toBeLessThan(10_000);
  expect(issues.map((each) => each.length)).toEqual([20, 20]);
  expect(issues.map((each) => each[19]?.path)).toEqual(["lines.19.qty", "lines.19"]);
});
