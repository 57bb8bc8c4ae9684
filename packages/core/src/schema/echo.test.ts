import { describe, expect, it } from "vitest";
import { echoMismatch } from "./echo.js";

describe("echoMismatch", () => {
  const checked = { orderId: "A-1", day: "2024-05-01T10:00:00Z", lines: [{ sku: "x" }], count: 3 };

  it.each([
    [{ orderId: "A-1", count: 3, more: true }],
    [{ orderId: "A-1", count: 3n }],
    [
      [
        { orderId: "A-1", count: 3 },
        { orderId: "A-1", count: 3 },
      ],
    ],
    ["Order A-1 has 3 parcels."],
    ['{"orderId":"A-1","count":3}'],
  ])("accepts results of each form that repeat the arguments (%#)", (result) => {
    expect(echoMismatch(result, checked, ["orderId", "count"])).toBeUndefined();
  });

  it.each([
    [{ orderId: "B-2" }, `the result's "orderId" is not that of the arguments`],
    [{}, 'the result has no "orderId"'],
    [null, 'the result has no "orderId"'],
    [undefined, 'the result has no "orderId"'],
    [[{ orderId: "A-1" }, { orderId: "B-2" }], `the result's "orderId" is not that of the arguments`],
    ["Order A-12 is on its way.", `the result's text does not mention the argument "orderId"`],
    ['{"orderId":"B-2","note":"A-1"}', `the result's "orderId" is not that of the arguments`],
  ])("refuses %j without quoting a value", (result, reason) => {
    expect(echoMismatch(result, checked, ["orderId"])).toBe(reason);
  });

  it("compares Dates with their text, and lists and objects by their parts", () => {
    expect(
      echoMismatch({ day: new Date("2024-05-01T10:00:00.000Z"), lines: [{ sku: "x", price: 1 }] }, checked, ["day", "lines"]),
    ).toBeUndefined();
    expect(echoMismatch({ lines: [{ sku: "y" }] }, checked, ["lines"])).toBeDefined();
    expect(echoMismatch({ lines: [] }, checked, ["lines"])).toBeDefined();
  });

  it("asks for nothing that the model left out", () => {
    expect(echoMismatch({}, checked, ["absent", "toString"])).toBeUndefined();
  });
});
