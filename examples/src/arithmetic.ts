import { ToolError } from "@toolwright/core";
import jsep from "jsep";

// jsep only parses. Everything it can parse beyond arithmetic (member access, strings, lists, conditions, other calls)
// has no case below, so it is an error and never does anything.

const longestExpression = 200;
const deepestParentheses = 32;
/** A name that no expression can spell, since only ASCII letters get past the first check. */
const group = "§";

const functions: ReadonlyMap<string, (...values: number[]) => number> = new Map([
  ["abs", Math.abs],
  ["ceil", Math.ceil],
  ["floor", Math.floor],
  ["max", Math.max],
  ["min", Math.min],
  ["round", Math.round],
  ["sqrt", Math.sqrt],
]);
const variadic: ReadonlySet<string> = new Set(["max", "min"]);

/**
 * Evaluates an arithmetic expression of at most 200 characters and 32 nested parentheses, in 64-bit floating point.
 *
 * Powers go before signs (`-2 ** 2` is -4) and group from the right. Whole numbers are exact up to 2 ** 53; other results
 * are rounded to 12 significant digits, or to two decimals if that keeps more (15 digits at most), so that `0.1 + 0.2` is 0.3.
 *
 * @throws ToolError `CALCULATION_SYNTAX` for what is no such expression, `CALCULATION_UNDEFINED` for a result that is no
 * number (`1 / 0`, `sqrt(-1)`), `CALCULATION_TOO_LARGE` for one above 1.8e308.
 */
export function evaluate(expression: string): number {
  checkText(expression);
  // The parser drops parentheses, but `(-2) ** 2` and `-2 ** 2` differ: each pair becomes a call that can be seen.
  const marked = expression.replaceAll(/(?<![A-Za-z]\s*)\(/g, `${group}(`);
  return rounded(valueOf(parse(marked)));
}

function checkText(expression: string): void {
  if (expression.length > longestExpression) throw syntax(`it has ${expression.length} characters, and ${longestExpression} are allowed`);
  const stranger = /[^\dA-Za-z\s.,+\-*/%()]/u.exec(expression)?.[0];
  if (stranger === "^") throw syntax('"^" is not allowed; write ** for a power');
  if (stranger !== undefined) throw syntax(`${JSON.stringify(stranger)} is not allowed; use numbers, + - * / % ** and parentheses`);
  let depth = 0;
  for (const character of expression) {
    if (character === "(") depth += 1;
    if (character === ")") depth -= 1;
    if (depth > deepestParentheses) throw syntax(`parentheses may be nested ${deepestParentheses} deep`);
  }
}

function parse(text: string): jsep.CoreExpression {
  try {
    // The parser's type is open to plug-ins; of the closed one, every case not handled below is refused.
    return jsep(text) as jsep.CoreExpression;
  } catch {
    // Its message would name the marked text, and places in that.
    throw syntax("check the operators and parentheses");
  }
}

function valueOf(node: jsep.Expression): number {
  // As above: an unknown kind of node falls to the end.
  const known = node as jsep.CoreExpression;
  switch (known.type) {
    case "Literal":
      if (typeof known.value === "number") return finite(known.value);
      break;
    case "Identifier":
      if (known.name === "pi") return Math.PI;
      throw syntax(`"${known.name}" is not known`);
    case "UnaryExpression":
      return signed(known.operator, valueOf(known.argument));
    case "BinaryExpression":
      if (known.operator === "**") return power(known.left, valueOf(known.right));
      return combined(known.operator, valueOf(known.left), valueOf(known.right));
    case "CallExpression":
      return called(known);
    default:
  }
  throw syntax("give one expression of numbers, + - * / % ** and parentheses");
}

function signed(operator: string, value: number): number {
  if (operator === "-") return -value;
  if (operator === "+") return value;
  throw syntax(`"${operator}" is not known`);
}

function power(base: jsep.Expression, exponent: number): number {
  // The parser binds a sign tighter than a power; mathematics does not.
  if (base.type === "UnaryExpression") {
    const { operator, argument } = base as jsep.UnaryExpression;
    return signed(operator, power(argument, exponent));
  }
  const value = valueOf(base);
  if (value === 0 && exponent < 0) throw undefinedResult("a division by zero");
  // One operation of the processor, however large the exponent is.
  return finite(value ** exponent);
}

function combined(operator: string, left: number, right: number): number {
  switch (operator) {
    case "+":
      return finite(left + right);
    case "-":
      return finite(left - right);
    case "*":
      return finite(left * right);
    case "/":
    case "%":
      if (right === 0) throw undefinedResult("a division by zero");
      return finite(operator === "/" ? left / right : left % right);
    default:
      throw syntax(`"${operator}" is not known`);
  }
}

function called({ callee, arguments: given }: jsep.CallExpression): number {
  const name = callee.type === "Identifier" ? (callee as jsep.Identifier).name : "";
  const values = given.map(valueOf);
  if (name === group) {
    const [value] = values;
    if (value === undefined || values.length > 1) throw syntax("a pair of parentheses must hold one expression");
    return value;
  }
  const apply = functions.get(name);
  if (apply === undefined) throw syntax(`only these functions are known: ${[...functions.keys()].join(", ")}`);
  if (values.length === 0 || (values.length > 1 && !variadic.has(name)))
    throw syntax(`${name} takes ${variadic.has(name) ? "numbers" : "one number"}`);
  return finite(apply(...values));
}

function finite(value: number): number {
  if (Number.isNaN(value)) throw undefinedResult("not a real number");
  if (!Number.isFinite(value)) throw new ToolError({ code: "CALCULATION_TOO_LARGE", message: "The result is too large: above 1.8e308." });
  return value;
}

function rounded(value: number): number {
  // Adding 0 turns -0 into 0.
  if (Number.isInteger(value)) return value + 0;
  const wholeDigits = Math.trunc(Math.abs(value)).toString().length;
  return Number(value.toPrecision(Math.min(15, Math.max(12, wholeDigits + 2)))) + 0;
}

function undefinedResult(what: string): ToolError {
  return new ToolError({ code: "CALCULATION_UNDEFINED", message: `The expression has no defined result: ${what}.` });
}

function syntax(what: string): ToolError {
  return new ToolError({ code: "CALCULATION_SYNTAX", message: `This is not an arithmetic expression: ${what}.` });
}
