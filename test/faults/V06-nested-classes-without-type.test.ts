import { Tool } from "@toolwright/core";
import { IsInt, IsString, Min, ValidateNested } from "class-validator";
import { describe, expect, it } from "vitest";
import { callTool, object, toolkit } from "../support/call-tool.js";

class Line {
  @IsString() sku!: string;
  @IsInt() @Min(1) qty!: number;
}
class Order {
  @ValidateNested({ each: true }) lines!: Line[];
  /** Named by no decorator at all. */
  gift!: Line;
}

const orders: Order[] = [];
class Shop {
  @Tool({ effect: "read" })
  order(order: Order): string {
    orders.push(order);
    return "ordered";
  }
}
const line = object({ sku: { type: "string" }, qty: { type: "integer" } });
const order = toolkit(
  Shop,
  {
    order: {
      parameters: object({ lines: { type: "array", items: line }, gift: line }),
      decode: { dto: "Order", properties: { lines: { items: { dto: "Line" } }, gift: { dto: "Line" } } },
      call: [{ arguments: true }],
    },
  },
  { Order, Line },
);

describe("V06: nested classes need no @Type", () => {
  it("arrive as instances", async () => {
    const { calls } = await callTool(order, "order", ['{"lines":[{"sku":"a","qty":1}],"gift":{"sku":"b","qty":2}}']);
    expect(calls[0]?.outcome).toMatchObject({ kind: "ok", output: "ordered" });
    expect(orders.at(-1)?.lines[0]).toBeInstanceOf(Line);
    expect(orders.at(-1)?.gift).toBeInstanceOf(Line);
  });

  it("are validated, each rule once, with a dotted path", async () => {
    const before = orders.length;
    const { issues } = await callTool(order, "order", ['{"lines":[{"sku":"a","qty":0}],"gift":{"sku":"b","qty":-1}}']);
    expect(issues).toEqual([
      [
        { path: "lines.0.qty", expected: "qty must not be less than 1", received: "integer" },
        { path: "gift.qty", expected: "qty must not be less than 1", received: "integer" },
      ],
    ]);
    expect(orders).toHaveLength(before);
  });
});
