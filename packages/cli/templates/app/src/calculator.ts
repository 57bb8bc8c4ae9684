import { Param, Tool } from "@toolwright/core";

/** Arithmetic, so that the model need not guess. */
export class Calculator {
  /** Adds two numbers. Use it for every sum. */
  @Tool({ effect: "read" })
  add(@Param("First summand, e.g. 2.5") left: number, @Param("Second summand, e.g. 4") right: number): number {
    return left + right;
  }
}
