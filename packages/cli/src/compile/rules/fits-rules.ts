import type { Literal, Rules } from "./rules.js";

/** Whether one value of a choice keeps the rules that concern values of its type. Formats are not looked at. */
export function fitsRules(value: Literal, rules: Rules): boolean {
  if (typeof value === "number") return fitsNumber(value, rules);
  return typeof value !== "string" || fitsText(value, rules);
}

function fitsNumber(value: number, rules: Rules): boolean {
  const { minimum = -Infinity, maximum = Infinity, exclusiveMinimum = -Infinity, exclusiveMaximum = Infinity, multipleOf } = rules;
  if (value < minimum || value > maximum || value <= exclusiveMinimum || value >= exclusiveMaximum) return false;
  if (rules.integer === true && !Number.isInteger(value)) return false;
  return multipleOf === undefined || isMultiple(value, multipleOf);
}

/** As written in decimals: 0.3 is three times 0.1, whatever is left when they are divided. */
function isMultiple(value: number, multipleOf: number): boolean {
  const quotient = value / multipleOf;
  return Math.abs(quotient - Math.round(quotient)) <= Math.abs(quotient) * 2 * Number.EPSILON;
}

function fitsText(value: string, { minLength = 0, maxLength = Infinity, pattern }: Rules): boolean {
  const length = [...value].length;
  return length >= minLength && length <= maxLength && (pattern === undefined || new RegExp(pattern, "u").test(value));
}
