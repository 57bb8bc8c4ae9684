import type { JsonValue } from "../contracts/json.js";
import type { SchemaNode } from "../contracts/schema.js";
import { compilePattern, type CompiledPattern } from "./compile-pattern.js";
import { formats } from "./formats.js";
import { bounded } from "./issue-text.js";
import { PatternRefused } from "./pattern-syntax.js";
import type { Check, SchemaScope } from "./schema-scope.js";

/** Rules of a node for strings beside its type; undefined when there are none. */
export function compileStringRules(scope: SchemaScope, node: SchemaNode, path: string): Check | undefined {
  const format = node.format === undefined ? undefined : formats.get(node.format);
  if (node.format !== undefined && format === undefined) throw scope.broken(path, `the format "${node.format}" is not supported`);
  const pattern = node.pattern === undefined ? undefined : patternOf(scope, node.pattern, path);
  if (format === undefined && pattern === undefined) return undefined;
  const matching = `a string that matches ${bounded(node.pattern ?? "")}`;
  return (value, report) => {
    const text = value as string;
    if (format !== undefined && !format.test(text)) return report.add(format.expected, "a string that is none");
    if (pattern !== undefined) {
      if (text.length > pattern.maxLength) return report.add(`at most ${pattern.maxLength} characters`, "a longer string");
      if (!report.spend(pattern.cost(text))) return report.add("fewer or shorter strings to match with patterns", "more than are tried");
      if (!pattern.test(text)) return report.add(matching, "a string that does not");
    }
    return text;
  };
}

function patternOf(scope: SchemaScope, source: string, path: string): CompiledPattern {
  try {
    return compilePattern(source);
  } catch (error) {
    if (error instanceof PatternRefused) throw scope.broken(path, `the pattern can not be used: ${error.message}`);
    throw error;
  }
}

/** Bounds of a node for numbers; undefined when there are none. */
export function compileNumberRules(node: SchemaNode): Check | undefined {
  const rules: { readonly expected: string; readonly received: string; holds(value: number): boolean }[] = [];
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = node;
  if (minimum !== undefined)
    rules.push({ expected: `at least ${minimum}`, received: "a smaller number", holds: (value) => value >= minimum });
  if (maximum !== undefined)
    rules.push({ expected: `at most ${maximum}`, received: "a greater number", holds: (value) => value <= maximum });
  if (exclusiveMinimum !== undefined) {
    rules.push({ expected: `more than ${exclusiveMinimum}`, received: "a number that is not", holds: (value) => value > exclusiveMinimum });
  }
  if (exclusiveMaximum !== undefined) {
    rules.push({ expected: `less than ${exclusiveMaximum}`, received: "a number that is not", holds: (value) => value < exclusiveMaximum });
  }
  if (multipleOf !== undefined) {
    rules.push({
      expected: `a multiple of ${multipleOf}`,
      received: "a number that is none",
      holds: (value) => isMultiple(value, multipleOf),
    });
  }
  if (rules.length === 0) return undefined;
  return (value, report) => {
    for (const rule of rules) if (!rule.holds(value as number)) report.add(rule.expected, rule.received);
    return value as JsonValue;
  };
}

/** Doubles have no exact tenths: 0.3 is a multiple of 0.1 to everybody but the processor. Whole numbers are exact. */
function isMultiple(value: number, of: number): boolean {
  if (Number.isInteger(of)) return value % of === 0;
  const quotient = value / of;
  // What the roundings of both numbers and of the division can come to at most; more is no multiple, however large the numbers.
  return Math.abs(quotient - Math.round(quotient)) <= 4 * Number.EPSILON * Math.abs(quotient);
}
