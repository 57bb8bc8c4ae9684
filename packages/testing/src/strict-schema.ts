import { isRecord, type JsonRecord } from "./json-record.js";
import { checkAnyOf } from "./strict-schema/any-of.js";
import { checkKeywordValues, keywordsOf, typesOf } from "./strict-schema/keywords.js";
import { checkLimits } from "./strict-schema/limits.js";
import type { NodeContext } from "./strict-schema/node-context.js";
import { checkReference, definitionKeywords } from "./strict-schema/reference.js";

/** One thing that OpenAI's strict mode would refuse. */
export interface StrictSchemaProblem {
  /** JSON Pointer as a URI fragment, e.g. `#/properties/ids`; `#` is the root. */
  readonly path: string;
  /** In the API's words where they are known, e.g. `In context=('properties', 'ids'), 'uniqueItems' is not permitted.` */
  readonly message: string;
}

/** Deeper than any schema that could pass: the walk stops here, so that no input overflows the stack. */
const walkDepth = 64;

const contextText = (path: readonly string[]): string =>
  path.length === 1 ? `('${path[0]}',)` : `(${path.map((segment) => `'${segment}'`).join(", ")})`;

const pointer = (path: readonly string[]): string =>
  ["#", ...path.map((segment) => segment.replaceAll("~", "~0").replaceAll("/", "~1"))].join("/");

/**
 * Checks a schema against the subset of JSON Schema that OpenAI accepts with `strict: true`: listed keywords only, closed
 * objects with every property required, `$ref` without siblings, and the size limits (5,000 properties, 10 levels, 120,000
 * characters of names and values, 1,000 enum values, 15,000 characters of one enum above 250 values).
 *
 * Written against the published rules, independently of any code that produces schemas. Where the rules are silent it is
 * on the strict side: arrays count as levels, and keywords that do not fit a node's type are refused.
 *
 * @returns every problem found; an empty list means that the schema is accepted.
 */
export function checkStrictSchema(schema: unknown): readonly StrictSchemaProblem[] {
  const problems: StrictSchemaProblem[] = [];
  const reportAt = (path: readonly string[], message: string): void => {
    problems.push({ path: pointer(path), message: `In context=${contextText(path)}, ${message}` });
  };
  if (!isRecord(schema)) {
    reportAt([], "schema must be an object.");
    return problems;
  }
  checkRoot(schema, (message) => problems.push({ path: "#", message }));
  const ancestors = new Set<object>();

  const visit = (node: unknown, path: readonly string[]): void => {
    if (!isRecord(node)) {
      const shown = typeof node === "boolean" || node === null ? String(node) : Array.isArray(node) ? "a list" : `a ${typeof node}`;
      return reportAt(path, `schema must be an object, got ${shown}.`);
    }
    if (ancestors.has(node)) return reportAt(path, "schema contains itself: use $ref for recursion.");
    if (ancestors.size > walkDepth) return;
    ancestors.add(node);
    const context: NodeContext = { root: schema, path, report: (message) => reportAt(path, message) };
    checkNode(node, context);
    for (const [child, childPath] of children(node, path)) visit(child, childPath);
    ancestors.delete(node);
  };

  visit(schema, []);
  checkLimits(schema, (message) => problems.push({ path: "#", message }));
  return problems;
}

function checkRoot(schema: JsonRecord, report: (message: string) => void): void {
  const forbidden = ["oneOf", "anyOf", "allOf", "enum", "not"].some((keyword) => Object.hasOwn(schema, keyword));
  if (schema["type"] !== "object" || forbidden) {
    report("schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.");
  }
}

function checkNode(node: JsonRecord, context: NodeContext): void {
  const allowed = keywordsOf(node, context.path.length === 0);
  for (const keyword of Object.keys(node)) {
    if (!allowed.has(keyword)) context.report(`'${keyword}' is not permitted.`);
  }
  if (Object.hasOwn(node, "$ref")) return checkReference(node, context);
  if (Object.hasOwn(node, "anyOf")) checkAnyOf(node, context);
  else if (!Object.hasOwn(node, "type")) context.report("schema must have a 'type' key.");
  checkKeywordValues(node, context);
  const types = typesOf(node);
  if (types.includes("object")) checkObject(node, context);
  if (types.includes("array")) checkArray(node, context);
}

function checkObject(node: JsonRecord, { report }: NodeContext): void {
  if (node["additionalProperties"] !== false) report("'additionalProperties' is required to be supplied and to be false.");
  const properties = node["properties"];
  if (!isRecord(properties)) return report("object schema missing properties.");
  const rule = "'required' is required to be supplied and to be an array including every key in properties.";
  const required = node["required"];
  if (!Array.isArray(required)) return report(rule);
  for (const name of Object.keys(properties)) {
    if (!required.includes(name)) report(`${rule} Missing '${name}'.`);
  }
  required.forEach((name: unknown, index) => {
    if (typeof name !== "string" || !Object.hasOwn(properties, name)) report(`${rule} Extra required key '${String(name)}' supplied.`);
    else if (required.indexOf(name) !== index) report(`${rule} Key '${name}' is supplied twice.`);
  });
}

function checkArray(node: JsonRecord, { report }: NodeContext): void {
  if (!Object.hasOwn(node, "items")) report("array schema missing items.");
  else if (!isRecord(node["items"])) report("array schema items is not an object.");
}

/** The sub-schemas of a node, each with its path. */
function* children(node: JsonRecord, path: readonly string[]): Generator<readonly [unknown, readonly string[]]> {
  for (const keyword of ["properties", ...definitionKeywords]) {
    const map = node[keyword];
    if (!isRecord(map)) continue;
    for (const [name, child] of Object.entries(map)) yield [child, [...path, keyword, name]];
  }
  if (isRecord(node["items"])) yield [node["items"], [...path, "items"]];
  const branches = node["anyOf"];
  if (Array.isArray(branches)) {
    for (const [index, branch] of branches.entries()) yield [branch, [...path, "anyOf", String(index)]];
  }
}
