import type { JsonRecord } from "../json-record.js";
import type { NodeContext } from "./node-context.js";
import { patternProblem } from "./pattern.js";
import { definitionKeywords } from "./reference.js";

const scalarTypes = ["string", "number", "integer", "boolean", "null"];
const knownTypes = new Set([...scalarTypes, "object", "array"]);

/** The formats that OpenAI lists for strings. */
const formats = new Set(["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"]);

/** Keywords by the type they belong to. `title` and `$schema` are annotations that the API passes over. */
const anywhere = ["title", "description"];
const byType: Readonly<Record<string, readonly string[]>> = {
  string: ["pattern", "format"],
  number: ["multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"],
  integer: ["multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"],
  object: ["properties", "required", "additionalProperties"],
  array: ["items", "minItems", "maxItems"],
  boolean: [],
  null: [],
};
const everyTyped = [...new Set(Object.values(byType).flat())];

/** The types of a node as a list; empty when there is no usable `type`. */
export function typesOf(node: JsonRecord): readonly string[] {
  const type = node["type"];
  if (typeof type === "string") return [type];
  return Array.isArray(type) ? type.filter((entry): entry is string => typeof entry === "string") : [];
}

/** The keywords that a node may have, given what it is. */
export function keywordsOf(node: JsonRecord, isRoot: boolean): ReadonlySet<string> {
  const root = isRoot ? [...definitionKeywords, "$schema"] : [];
  // The siblings of `$ref` have an error of their own.
  if (Object.hasOwn(node, "$ref")) return new Set(Object.keys(node));
  if (Object.hasOwn(node, "anyOf")) return new Set([...root, ...anywhere, "anyOf"]);
  const types = typesOf(node).filter((type) => Object.hasOwn(byType, type));
  const typed = types.length === 0 ? everyTyped : types.flatMap((type) => byType[type] ?? []);
  const values = types.length === 0 || types.some((type) => scalarTypes.includes(type)) ? ["enum", "const"] : [];
  return new Set([...root, ...anywhere, "type", ...values, ...typed]);
}

/** Checks the values of the keywords that stand beside `type`. */
export function checkKeywordValues(node: JsonRecord, { report }: NodeContext): void {
  if (Object.hasOwn(node, "type")) checkType(node["type"], report);
  for (const keyword of ["title", "description"]) {
    if (Object.hasOwn(node, keyword) && typeof node[keyword] !== "string") report(`'${keyword}' must be a string.`);
  }
  if (Object.hasOwn(node, "enum")) checkEnum(node, report);
  if (Object.hasOwn(node, "const") && !fits(node["const"], typesOf(node)))
    report(`const value ${JSON.stringify(node["const"])} does not validate against the type.`);
  if (Object.hasOwn(node, "format") && !formats.has(node["format"] as string)) report(`'${String(node["format"])}' is not a valid format.`);
  if (Object.hasOwn(node, "pattern")) {
    const problem = patternProblem(node["pattern"]);
    if (problem !== undefined) report(problem);
  }
  checkNumbers(node, report);
}

function checkType(type: unknown, report: (message: string) => void): void {
  const list: readonly unknown[] = Array.isArray(type) ? type : [type];
  if (list.length === 0) report("'type' must not be empty.");
  for (const [index, entry] of list.entries()) {
    if (typeof entry !== "string" || !knownTypes.has(entry)) report(`${JSON.stringify(entry)} is not a valid type.`);
    else if (list.indexOf(entry) !== index) report(`type '${entry}' is given twice.`);
  }
}

function checkEnum(node: JsonRecord, report: (message: string) => void): void {
  const values = node["enum"];
  if (!Array.isArray(values) || values.length === 0) return report("'enum' must be a non-empty array.");
  const types = typesOf(node);
  const seen = new Set<unknown>();
  for (const value of values as readonly unknown[]) {
    if (seen.has(value)) report(`enum value ${JSON.stringify(value)} is given twice.`);
    seen.add(value);
    if (!fits(value, types)) report(`enum value ${JSON.stringify(value)} does not validate against the type.`);
  }
}

/** Whether a literal is of one of the types; without any usable type only scalars pass. */
function fits(value: unknown, types: readonly string[]): boolean {
  const own = value === null ? ["null"] : Number.isInteger(value) ? ["integer", "number"] : [typeof value];
  return types.length === 0 ? own.every((type) => scalarTypes.includes(type)) : own.some((type) => types.includes(type));
}

function checkNumbers(node: JsonRecord, report: (message: string) => void): void {
  for (const keyword of ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]) {
    if (Object.hasOwn(node, keyword) && !Number.isFinite(node[keyword])) report(`'${keyword}' must be a number.`);
  }
  const step = node["multipleOf"];
  if (typeof step === "number" && step <= 0) report("'multipleOf' must be greater than 0.");
  for (const keyword of ["minItems", "maxItems"]) {
    const count = node[keyword];
    if (Object.hasOwn(node, keyword) && !(Number.isInteger(count) && (count as number) >= 0))
      report(`'${keyword}' must be a non-negative integer.`);
  }
  for (const [low, high] of [
    ["minItems", "maxItems"],
    ["minimum", "maximum"],
  ] as const) {
    const [least, most] = [node[low], node[high]];
    if (typeof least === "number" && typeof most === "number" && least > most) report(`'${low}' is greater than '${high}'.`);
  }
}
