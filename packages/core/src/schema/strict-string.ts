import type { SchemaNode } from "../contracts/schema.js";
import { compilePattern } from "./compile-pattern.js";
import { formats } from "./formats.js";
import { PatternRefused } from "./pattern-syntax.js";
import { jsonText, type RawSchema, type StrictContext } from "./strict-context.js";

/** Longest count that patterns may have: the API's engine knows no more. */
const MAX_COUNT = 1000;

/** Rules for strings: the ones that strict schemas have, and notes for the description about the others. */
export function stringRules(context: StrictContext, raw: RawSchema, path: string): { rules: SchemaNode; notes: string[] } {
  const notes: string[] = [];
  const format = formatOf(context, raw["format"], path, notes);
  const pattern = patternOf(context, raw["pattern"], path, notes);
  const { minLength, maxLength } = raw;
  const rules: { format?: string; pattern?: string } = {
    ...(format !== undefined && { format }),
    ...(pattern !== undefined && { pattern }),
  };
  if (minLength === undefined && maxLength === undefined) return { rules, notes };
  for (const bound of [minLength, maxLength]) {
    if (bound !== undefined && !(Number.isInteger(bound) && Number(bound) >= 0)) {
      throw context.refuse(path, '"minLength" or "maxLength" is not a count', "Give it as an integer of at least 0.");
    }
  }
  const [least, most] = [Number(minLength ?? 0), maxLength === undefined ? undefined : Number(maxLength)];
  if (format === undefined && pattern === undefined && least <= MAX_COUNT && (most ?? 0) <= MAX_COUNT) {
    rules.pattern = `^[\\s\\S]{${least},${most ?? ""}}$`;
  } else notes.push(most === undefined ? `At least ${least} characters.` : `${least}-${most} characters.`);
  return { rules, notes };
}

function formatOf(context: StrictContext, format: unknown, path: string, notes: string[]): string | undefined {
  if (format === undefined) return undefined;
  if (typeof format === "string" && formats.has(format)) return format;
  if (context.enforced) {
    notes.push(`Format: ${String(format)}.`);
    return undefined;
  }
  throw context.refuse(
    path,
    `the format ${jsonText(format) ?? "there"} is not one of ${[...formats.keys()].join(", ")}`,
    "Leave the format out and say it in the description, or use a `pattern`.",
  );
}

function patternOf(context: StrictContext, pattern: unknown, path: string, notes: string[]): string | undefined {
  if (pattern === undefined) return undefined;
  try {
    if (typeof pattern !== "string") throw new PatternRefused("it is not a string");
    compilePattern(pattern);
    return pattern;
  } catch (error) {
    if (!(error instanceof PatternRefused)) throw error;
    if (context.enforced && typeof pattern === "string") {
      notes.push(`Pattern: ${pattern}`);
      return undefined;
    }
    throw context.refuse(
      path,
      `the pattern can not be used: ${error.message}`,
      "Write it without lookaround and back references, with counts of at most 1000.",
    );
  }
}
