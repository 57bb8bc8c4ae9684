import type { Literal, Rules } from "../rules/rules.js";
import { mostRepeats } from "../rules/safe-pattern.js";
import type { MutableSchema } from "./mutable-schema.js";

/**
 * Puts rules into a schema, each where it belongs by type; what the node can not carry is left to the description.
 *
 * @param words - sentences for the description; those that only show now are added.
 * @returns what is impossible, e.g. bounds that exclude each other.
 */
export function applyRules(schema: MutableSchema, rules: Rules, words: string[]): string | undefined {
  if (schema.anyOf !== undefined) {
    // A branch that a rule does not concern stays as it is.
    const problems = schema.anyOf.map((branch) => applyRules(branch as MutableSchema, { ...rules, values: undefined }, words));
    return problems.find((problem) => problem !== undefined);
  }
  const types = typesOf(schema);
  const problem = rules.values === undefined ? undefined : restrictValues(schema, types, rules.values);
  if (problem !== undefined) return problem;
  if (types.includes("string")) applyToText(schema, rules, words);
  if (types.includes("number") || types.includes("integer")) return applyToNumber(schema, rules);
  if (types.includes("array")) return applyToArray(schema, rules, words);
  return undefined;
}

function typesOf({ type }: MutableSchema): readonly string[] {
  return type === undefined ? [] : typeof type === "string" ? [type] : type;
}

function restrictValues(schema: MutableSchema, types: readonly string[], values: readonly Literal[]): string | undefined {
  const isOfType = (value: Literal): boolean => types.includes(typeof value) || (types.includes("integer") && Number.isInteger(value));
  const known = schema.enum;
  const fitting = values.filter((value) => (known === undefined ? isOfType(value) : known.includes(value)));
  if (types.every((type) => type === "object" || type === "array" || type === "null")) return undefined;
  if (fitting.length === 0) return "No value is allowed by both the type and the decorators.";
  schema.enum = known === undefined ? fitting : known.filter((value) => value === null || fitting.includes(value));
  if (types.includes("null") && !schema.enum.includes(null)) schema.enum = [...schema.enum, null];
  return undefined;
}

function applyToText(schema: MutableSchema, { pattern, format, minLength, maxLength }: Rules, words: string[]): void {
  // The values of an enum are exact already.
  if (schema.enum !== undefined) return;
  if (format !== undefined) schema.format ??= format;
  if (pattern !== undefined) schema.pattern ??= pattern;
  // There is one pattern only.
  if (pattern !== undefined && schema.pattern !== pattern) words.push(`Matches the regular expression /${pattern}/.`);
  if (minLength === undefined && maxLength === undefined) return;
  // Length keywords are not in the API's list; a pattern is, if no other one is needed.
  const isSendable = Math.max(minLength ?? 0, maxLength ?? 0) <= mostRepeats;
  if (isSendable) schema.pattern ??= String.raw`^[\s\S]{${minLength ?? 0},${maxLength ?? ""}}$`;
}

function applyToNumber(schema: MutableSchema, rules: Rules): string | undefined {
  if (schema.enum !== undefined) return undefined;
  if (rules.integer === true)
    schema.type = typeof schema.type === "string" ? "integer" : schema.type?.map((type) => (type === "number" ? "integer" : type));
  for (const key of ["minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf"] as const) {
    const value = rules[key];
    if (value === undefined) continue;
    const known = schema[key];
    const pick = key === "maximum" || key === "exclusiveMaximum" ? Math.min : Math.max;
    schema[key] = known === undefined ? value : pick(known, value);
  }
  const least = Math.max(schema.minimum ?? -Infinity, schema.exclusiveMinimum ?? -Infinity);
  const most = Math.min(schema.maximum ?? Infinity, schema.exclusiveMaximum ?? Infinity);
  return least > most ? `No number is both at least ${least} and at most ${most}.` : undefined;
}

function applyToArray(schema: MutableSchema, rules: Rules, words: string[]): string | undefined {
  const least = Math.max(schema.minItems ?? 0, rules.minItems ?? 0);
  const most = Math.min(schema.maxItems ?? Infinity, rules.maxItems ?? Infinity);
  if (least > most) return `No array has both at least ${least} and at most ${most} items.`;
  if (least > 0) schema.minItems = least;
  if (most < Infinity) schema.maxItems = most;
  return rules.items === undefined || schema.items === undefined
    ? undefined
    : applyRules(schema.items as MutableSchema, rules.items, words);
}
