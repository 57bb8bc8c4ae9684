import { ToolwrightError } from "@toolwright/core";
import { describe, expect, it } from "vitest";
import { evaluate } from "./arithmetic.js";

function codeOf(expression: string): string {
  try {
    return `no error, but ${evaluate(expression)}`;
  } catch (error) {
    if (!ToolwrightError.is(error)) throw error;
    return error.code;
  }
}

describe("evaluate", () => {
  it.each([
    ["12 * 9 / 5 + 32", 53.6],
    ["(3 + 4) * 12", 84],
    ["10 - 2 - 3", 5],
    ["2 + 3 * 4 ** 2", 50],
    ["2 ** 3 ** 2", 512],
    ["-2 ** 2", -4],
    ["(-2) ** 2", 4],
    ["--2 ** 2", 4],
    ["2 ** -1", 0.5],
    ["-(1 + 2) ** 2", -9],
    ["10 % 4", 2],
    ["7 - -3", 10],
    ["+5", 5],
    [".5 + 1.", 1.5],
    ["1e3 / 8", 125],
    ["sqrt(2 * 8) + abs(-1)", 5],
    ["sqrt (16)", 4],
    ["max(1, 2 + 3, 4) - min(7, 6)", -1],
    ["round(2.4) + floor(2.9) + ceil(2.1)", 7],
    ["2 * pi", 6.28318530718],
    ["\n2\t+ 2 ", 4],
    ["((((1))))", 1],
  ])("%j is %d", (expression, value) => {
    expect(evaluate(expression)).toBe(value);
  });

  it.each([
    ["0.1 + 0.2", 0.3],
    ["1.1 - 1", 0.1],
    ["100.1 - 100", 0.1],
    ["4.35 * 100", 435],
    ["1 / 3", 0.333333333333],
    ["12345678 * 12345678", 152415765279684],
    ["2 ** 53", 9007199254740992],
    ["1234567890123.45 + 0.1", 1234567890123.55],
    ["-(1 - 1)", 0],
  ])("rounds %j to %d", (expression, value) => {
    expect(evaluate(expression)).toBe(value);
  });

  it.each(["1 / 0", "0 / 0", "5 % 0", "0 ** -1", "sqrt(-1)", "(-8) ** (1 / 3)"])("%j has no defined result", (expression) => {
    expect(codeOf(expression)).toBe("CALCULATION_UNDEFINED");
  });

  it.each(["9 ** 9 ** 9", "1e400", "1e308 * 10", "1e308 + 1e308"])("%j is too large", (expression) => {
    expect(codeOf(expression)).toBe("CALCULATION_TOO_LARGE");
  });

  it.each([
    "",
    " ",
    "()",
    "(",
    ")",
    "(1",
    "1)",
    "1 +",
    "* 2",
    "1 2",
    "2(3)",
    "(2)(3)",
    "(1, 2)",
    "1,000 + 1",
    "1; 2",
    "2 ^ 3",
    "x + 1",
    "true",
    "this",
    "1 < 2",
    "!1",
    "1 ? 2 : 3",
    "'a'",
    "[1]",
    "sqrt",
    "sqrt()",
    "sqrt(1, 2)",
    "max()",
    "pi(2)",
    "toString()",
    "constructor(1)",
    "Math.max(1, 2)",
    "max.call(1)",
    "(1).constructor",
    "§(1)",
    "12 × 9",
    "1 + ".repeat(60) + "1",
    "(".repeat(33) + "1" + ")".repeat(33),
  ])("%j is no arithmetic expression", (expression) => {
    expect(codeOf(expression)).toBe("CALCULATION_SYNTAX");
  });

  it("takes the longest and the deepest expression that it allows", () => {
    expect(evaluate(`${"1+".repeat(99)}10`)).toBe(109);
    expect(evaluate(`${"(".repeat(32)}1${")".repeat(32)}`)).toBe(1);
    expect(evaluate(`${"-".repeat(198)}1`)).toBe(1);
  });

  it("says what to write instead of ^", () => {
    expect(() => evaluate("2 ^ 3")).toThrow("write ** for a power");
  });
});
