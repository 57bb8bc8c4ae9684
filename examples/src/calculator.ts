import { Param, Tool } from "@toolwright/core";
import { evaluate } from "./arithmetic.js";

/** Arithmetic for a model, which is bad at it. */
export class Calculator {
  /** Evaluates an arithmetic expression. Use it for every calculation. */
  @Tool({ effect: "read" })
  calculate(
    @Param("Arithmetic expression of numbers, + - * / % **, parentheses, pi, and abs ceil floor max min round sqrt, e.g. 12 * 9 / 5 + 32")
    expression: string,
  ): number {
    return evaluate(expression);
  }
}
