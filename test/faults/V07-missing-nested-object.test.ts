import { Tool } from "@toolwright/core";
import { Type } from "class-transformer";
import { ValidateNested } from "class-validator";
import { expect, it } from "vitest";
import { callTool, object, toolkit } from "../support/call-tool.js";

class Address {
  city!: string;
}
class Ship {
  @ValidateNested() @Type(() => Address) to!: Address;
  @ValidateNested({ each: true }) @Type(() => Address) stops!: Address[];
  at!: Date;
}
class Shipping {
  ships = 0;
  @Tool({ effect: "read" })
  ship(_ship: Ship): string {
    this.ships += 1;
    return "shipped";
  }
}
const address = object({ city: { type: "string" } });
const parameters = object({ to: address, stops: { type: "array", items: address }, at: { type: "string", format: "date-time" } });
const decode = { dto: "Ship", properties: { to: { dto: "Address" }, stops: { items: { dto: "Address" } }, at: { date: true } } } as const;

it("V07: a missing required object, array or Date is named before class-validator, which would let it pass, is asked", async () => {
  const ship = toolkit(Shipping, { ship: { parameters, decode, call: [{ arguments: true }] } }, { Ship, Address });
  const { issues } = await callTool(ship, "ship", ["{}", '{"to":{},"stops":[{}],"at":"2024-05-01T10:00:00Z"}']);
  expect(issues).toEqual([
    [
      { path: "to", expected: "object", received: "nothing" },
      { path: "stops", expected: "array", received: "nothing" },
      { path: "at", expected: "string", received: "nothing" },
    ],
    [
      { path: "to.city", expected: "string", received: "nothing" },
      { path: "stops.0.city", expected: "string", received: "nothing" },
    ],
  ]);
  expect(ship).toMatchObject({ ships: 0 });
});
