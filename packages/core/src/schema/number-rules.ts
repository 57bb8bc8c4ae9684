import type { SchemaNode } from "../contracts/schema.js";
import type { Report } from "./report.js";

/** What a node says of numbers beside their type. */
export class NumberRules {
  private constructor(
    private readonly minimum: number,
    private readonly maximum: number,
    private readonly above: number | undefined,
    private readonly below: number | undefined,
    private readonly multipleOf: number | undefined,
  ) {}

  /** The rules of a node; undefined when it has none. */
  static of({ minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf }: SchemaNode): NumberRules | undefined {
    const has = minimum ?? maximum ?? exclusiveMinimum ?? exclusiveMaximum ?? multipleOf;
    if (has === undefined) return undefined;
    return new NumberRules(minimum ?? -Infinity, maximum ?? Infinity, exclusiveMinimum, exclusiveMaximum, multipleOf);
  }

  check(value: number, report: Report): void {
    const { minimum, maximum, above, below, multipleOf } = this;
    if (value < minimum) report.add(`at least ${minimum}`, "a smaller number");
    if (value > maximum) report.add(`at most ${maximum}`, "a greater number");
    if (above !== undefined && value <= above) report.add(`more than ${above}`, "a number that is not");
    if (below !== undefined && value >= below) report.add(`less than ${below}`, "a number that is not");
    if (multipleOf !== undefined && !isMultiple(value, multipleOf)) report.add(`a multiple of ${multipleOf}`, "a number that is none");
  }
}

/** Doubles have no exact tenths: 0.3 is a multiple of 0.1 to everybody but the processor. Whole numbers are exact. */
function isMultiple(value: number, of: number): boolean {
  if (Number.isInteger(of)) return value % of === 0;
  const quotient = value / of;
  // What the roundings of both numbers and of the division can come to at most; more is no multiple, however large the numbers.
  return Math.abs(quotient - Math.round(quotient)) <= 4 * Number.EPSILON * Math.abs(quotient);
}
