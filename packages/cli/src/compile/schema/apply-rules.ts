import type { SchemaNode } from "@toolwright/core";
import { fitsRules } from "../rules/fits-rules.js";
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
    return problems.find((problem) => problem !== undefined) ?? restrictBranches(schema.anyOf, rules.values, words);
  }
  const types = typesOf(schema);
  const problem = rules.values === undefined ? undefined : restrictValues(schema, types, rules.values);
  if (problem !== undefined) return problem;
  // The values of an enum are exact: each is allowed or not.
  if (schema.enum !== undefined) return keepFitting(schema, schema.enum, rules);
  if (types.includes("string")) {
    const impossible = applyToText(schema, rules, words);
    if (impossible !== undefined) return impossible;
  }
  if (types.includes("number") || types.includes("integer")) return applyToNumber(schema, rules);
  if (types.includes("array")) return applyToArray(schema, rules, words);
  return undefined;
}

const noValue = "No value is allowed by both the type and the decorators.";

/** Each branch keeps those values that it has; where one has none, the description tells what is allowed in all. */
function restrictBranches(branches: readonly SchemaNode[], values: readonly Literal[] | undefined, words: string[]): string | undefined {
  if (values === undefined) return undefined;
  const scalars = branches.filter((branch) => typesOf(branch).some((type) => ["string", "number", "integer", "boolean"].includes(type)));
  const without = scalars.filter((branch) => restrictValues(branch as MutableSchema, typesOf(branch), values) !== undefined);
  if (without.length === scalars.length && scalars.length > 0) return noValue;
  if (without.length > 0) words.push(`One of ${values.map((value) => JSON.stringify(value)).join(", ")}.`);
  return undefined;
}

function keepFitting(schema: MutableSchema, values: NonNullable<SchemaNode["enum"]>, rules: Rules): string | undefined {
  const fitting = values.filter((value) => value === null || fitsRules(value, rules));
  if (fitting.every((value) => value === null)) return noValue;
  schema.enum = fitting;
  return undefined;
}

function typesOf({ type }: SchemaNode): readonly string[] {
  return type === undefined ? [] : typeof type === "string" ? [type] : type;
}

function restrictValues(schema: MutableSchema, types: readonly string[], values: readonly Literal[]): string | undefined {
  const isOfType = (value: Literal): boolean => types.includes(typeof value) || (types.includes("integer") && Number.isInteger(value));
  const known = schema.enum;
  const fitting = values.filter((value) => (known === undefined ? isOfType(value) : known.includes(value)));
  if (types.every((type) => type === "object" || type === "array" || type === "null")) return undefined;
  if (fitting.length === 0) return noValue;
  schema.enum = known === undefined ? fitting : known.filter((value) => value === null || fitting.includes(value));
  if (types.includes("null") && !schema.enum.includes(null)) schema.enum = [...schema.enum, null];
  return undefined;
}

function applyToText(schema: MutableSchema, { pattern, format, ...rules }: Rules, words: string[]): string | undefined {
  if (format !== undefined) schema.format ??= format;
  if (pattern !== undefined) schema.pattern ??= pattern;
  // There is one pattern only.
  if (pattern !== undefined && schema.pattern !== pattern) words.push(`Matches the regular expression /${pattern}/.`);
  const least = Math.max(0, Math.ceil(rules.minLength ?? 0));
  const most = Math.floor(rules.maxLength ?? Infinity);
  if (least > most) return `No text has both at least ${least} and at most ${most} characters.`;
  if (least === 0 && most === Infinity) return undefined;
  // Length keywords are not in the API's list; a pattern is, if no other one is needed.
  const isSendable = Math.max(least, most === Infinity ? 0 : most) <= mostRepeats;
  if (isSendable) schema.pattern ??= String.raw`^[\s\S]{${least},${most === Infinity ? "" : most}}$`;
  return undefined;
}

function applyToNumber(schema: MutableSchema, rules: Rules): string | undefined {
  if (rules.integer === true)
    schema.type = typeof schema.type === "string" ? "integer" : schema.type?.map((type) => (type === "number" ? "integer" : type));
  for (const key of ["minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf"] as const) {
    const value = rules[key];
    if (value === undefined) continue;
    const known = schema[key];
    const pick = key === "maximum" || key === "exclusiveMaximum" ? Math.min : Math.max;
    schema[key] = known === undefined ? value : pick(known, value);
  }
  return isSatisfiable(schema) ? undefined : `No ${isWhole(schema) ? "whole " : ""}number is ${boundsOf(schema)}.`;
}

const isWhole = ({ type = [] }: SchemaNode): boolean => type.includes("integer");

function isSatisfiable(schema: MutableSchema): boolean {
  const least = Math.max(schema.minimum ?? -Infinity, schema.exclusiveMinimum ?? -Infinity);
  const most = Math.min(schema.maximum ?? Infinity, schema.exclusiveMaximum ?? Infinity);
  const isOpen = least === schema.exclusiveMinimum || most === schema.exclusiveMaximum;
  if (least > most || (least === most && isOpen)) return false;
  if (!isWhole(schema)) return true;
  const first = least === schema.exclusiveMinimum ? Math.floor(least) + 1 : Math.ceil(least);
  const last = most === schema.exclusiveMaximum ? Math.ceil(most) - 1 : Math.floor(most);
  return first <= last;
}

function boundsOf({ minimum, exclusiveMinimum, maximum, exclusiveMaximum }: MutableSchema): string {
  const say = (value: number | undefined, words: string): readonly string[] => (value === undefined ? [] : [`${words} ${value}`]);
  const all = [
    ...say(minimum, "at least"),
    ...say(exclusiveMinimum, "above"),
    ...say(maximum, "at most"),
    ...say(exclusiveMaximum, "below"),
  ];
  return `both ${all.join(" and ")}`;
}

function applyToArray(schema: MutableSchema, rules: Rules, words: string[]): string | undefined {
  const least = Math.max(schema.minItems ?? 0, Math.ceil(rules.minItems ?? 0));
  const most = Math.min(schema.maxItems ?? Infinity, Math.floor(rules.maxItems ?? Infinity));
  if (least > most) return `No array has both at least ${least} and at most ${most} items.`;
  if (least > 0) schema.minItems = least;
  if (most < Infinity) schema.maxItems = most;
  return rules.items === undefined || schema.items === undefined
    ? undefined
    : applyRules(schema.items as MutableSchema, rules.items, words);
}
