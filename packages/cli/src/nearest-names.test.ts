import { expect, test } from "vitest";
import { nearestNames } from "./nearest-names.js";

const names = ["get_order", "get_orders", "cancel_order", "OrderTools.getOrder", "track"];

test.each([
  ["get_ordr", ["get_order", "get_orders"]],
  ["getorder", ["get_order", "get_orders"]],
  ["GET-ORDERS", ["get_orders", "get_order"]],
  ["OrderTool.getOrder", ["OrderTools.getOrder"]],
  ["trak", ["track"]],
  ["weather", []],
  ["", []],
])("%s may mean %s", (given, expected) => {
  expect(nearestNames(given, names)).toEqual(expected);
});
