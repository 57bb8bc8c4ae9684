import { isRecord, type JsonRecord } from "../json-record.js";
import { definitionKeywords, resolveReference } from "./reference.js";

/** OpenAI's published limits for one strict schema. */
const strictSchemaLimits = {
  properties: 5000,
  depth: 10,
  characters: 120_000,
  enumValues: 1000,
  /** An enum of strings with more values than this is also limited in characters. */
  largeEnum: 250,
  largeEnumCharacters: 15_000,
} as const;

/** Far above the limits: what lies beyond is refused anyway, and a schema object that contains itself ends. */
const measuredLevels = 64;
const measuredNodes = 100_000;

interface Totals {
  properties: number;
  characters: number;
  enumValues: number;
  nodes: number;
}

/** Reports each limit that the schema exceeds. */
export function checkLimits(root: JsonRecord, report: (message: string) => void): void {
  const totals: Totals = { properties: 0, characters: 0, enumValues: 0, nodes: 0 };
  measure(root, totals, report, 0);
  const exceeds = (found: number, what: string, limit: number): void => {
    if (found > limit) report(`${found} ${what} exceeds limit of ${limit}.`);
  };
  exceeds(totals.properties, "object properties in total", strictSchemaLimits.properties);
  exceeds(totals.enumValues, "enum values in total", strictSchemaLimits.enumValues);
  exceeds(totals.characters, "characters of property names, definition names, enum values and const values", strictSchemaLimits.characters);
  exceeds(depthOf(root, root, new Set(), new Map()), "levels of nesting", strictSchemaLimits.depth);
}

function measure(node: unknown, totals: Totals, report: (message: string) => void, level: number): void {
  if (!isRecord(node) || level > measuredLevels || totals.nodes > measuredNodes) return;
  totals.nodes += 1;
  for (const keyword of ["properties", ...definitionKeywords]) {
    const map = node[keyword];
    if (!isRecord(map)) continue;
    for (const [name, child] of Object.entries(map)) {
      totals.characters += name.length;
      if (keyword === "properties") totals.properties += 1;
      measure(child, totals, report, level + 1);
    }
  }
  if (Object.hasOwn(node, "const")) totals.characters += literalLength(node["const"]);
  const values = node["enum"];
  if (Array.isArray(values)) {
    const characters = values.reduce((sum: number, value) => sum + literalLength(value), 0);
    totals.enumValues += values.length;
    totals.characters += characters;
    const { largeEnum, largeEnumCharacters } = strictSchemaLimits;
    if (values.length > largeEnum && values.every((value) => typeof value === "string") && characters > largeEnumCharacters) {
      report(`${characters} characters in an enum of ${values.length} values exceeds limit of ${largeEnumCharacters}.`);
    }
  }
  measure(node["items"], totals, report, level + 1);
  if (Array.isArray(node["anyOf"])) for (const branch of node["anyOf"]) measure(branch, totals, report, level + 1);
}

const literalLength = (value: unknown): number => (typeof value === "string" ? value.length : (JSON.stringify(value) ?? "").length);

/**
 * Levels of objects and arrays below and including the node. References are followed once on each way down, so that
 * definitions do not hide depth and recursion, which has no depth, ends.
 */
function depthOf(node: unknown, root: JsonRecord, above: Set<object>, known: Map<object, number>): number {
  if (!isRecord(node) || above.has(node) || above.size > measuredLevels) return 0;
  const before = known.get(node);
  if (before !== undefined) return before;
  above.add(node);
  const below: number[] = [depthOf(resolveReference(node["$ref"], root), root, above, known), depthOf(node["items"], root, above, known)];
  if (isRecord(node["properties"])) for (const child of Object.values(node["properties"])) below.push(depthOf(child, root, above, known));
  if (Array.isArray(node["anyOf"])) for (const branch of node["anyOf"]) below.push(depthOf(branch, root, above, known));
  above.delete(node);
  const own = isRecord(node["properties"]) || isRecord(node["items"]) ? 1 : 0;
  const depth = own + below.reduce((most, level) => Math.max(most, level), 0);
  known.set(node, depth);
  return depth;
}
