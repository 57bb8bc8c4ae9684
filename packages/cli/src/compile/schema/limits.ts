import type { ObjectSchema, SchemaNode } from "@toolwright/core";
import type { ProblemText } from "../project.js";

/** OpenAI's limits, from its guide "Structured model outputs", section "Supported schemas", unless it says otherwise. */
export const apiLimits = {
  // Of one schema.
  properties: 5000,
  /** The guide does not say whether arrays count as levels; counting them is the safe reading. */
  depth: 10,
  /** Of property names, definition names and enum values together. */
  characters: 120_000,
  enumValues: 1000,
  /** An enum of texts with more values than this may have `largeEnumCharacters` characters. */
  largeEnum: 250,
  largeEnumCharacters: 15_000,
  /** Of a tool or an output, for the API and for servers like it. */
  name: /^[a-zA-Z0-9_-]{1,64}$/,
  /** Characters in a tool's description, and tools in a request: seen in refusals of servers, not in the guide. */
  description: 1024,
  tools: 128,
} as const;

interface Totals {
  properties: number;
  characters: number;
  enumValues: number;
  /** Of the largest enum that has many values. */
  enumCharacters: number;
}

/** Which limits a schema exceeds. */
export function limitProblems(schema: ObjectSchema): readonly ProblemText[] {
  const totals: Totals = { properties: 0, characters: 0, enumValues: 0, enumCharacters: 0 };
  measure(schema, totals);
  const split = "Split the tool, or take fewer details.";
  const take = "Take a string, and check it in the method.";
  const flatten = "Flatten the type, or take the id of an inner part.";
  const found: readonly Parameters<typeof exceeded>[] = [
    ["an enum", totals.enumCharacters, "characters", apiLimits.largeEnumCharacters, take],
    ["the schema", totals.properties, "properties", apiLimits.properties, split],
    ["the schema", totals.enumValues, "enum values", apiLimits.enumValues, take],
    ["the schema", totals.characters, "characters of names and enum values", apiLimits.characters, split],
    ["the schema", depthOf(schema, schema, new Set()), "levels of objects and arrays", apiLimits.depth, flatten],
  ];
  return found.filter(([, count, , limit]) => count > limit).map((each) => exceeded(...each));
}

const exceeded = (what: string, found: number, unit: string, limit: number, fix: string): ProblemText => ({
  reason: `For OpenAI's strict mode ${what} is too large: it has ${found} ${unit}, and ${limit} are allowed.`,
  fix,
});

const lengthOf = (values: readonly unknown[]): number => values.reduce((sum: number, value) => sum + String(value).length, 0);

function measure(node: SchemaNode, totals: Totals): void {
  for (const children of [node.properties, node.$defs]) {
    for (const name in children) {
      totals.characters += name.length;
      if (children === node.properties) totals.properties += 1;
      const child = children[name];
      if (child !== undefined) measure(child, totals);
    }
  }
  if (node.enum !== undefined) {
    const characters = lengthOf(node.enum);
    totals.enumValues += node.enum.length;
    totals.characters += characters;
    if (node.enum.length > apiLimits.largeEnum) totals.enumCharacters = Math.max(totals.enumCharacters, characters);
  }
  for (const branch of node.anyOf ?? []) measure(branch, totals);
  if (node.items !== undefined) measure(node.items, totals);
}

/** References are followed, so that definitions do not hide depth; recursion has none. */
function depthOf(node: SchemaNode, root: SchemaNode, above: Set<SchemaNode>, known = new Map<SchemaNode, number>()): number {
  if (above.has(node)) return 0;
  const before = known.get(node);
  if (before !== undefined) return before;
  above.add(node);
  const target = node.$ref === undefined ? undefined : root.$defs?.[node.$ref.slice("#/$defs/".length)];
  const below = [target, node.items, ...Object.values(node.properties ?? {}), ...(node.anyOf ?? [])];
  const depths = below.map((child) => (child === undefined ? 0 : depthOf(child, root, above, known)));
  above.delete(node);
  const depth = (node.properties !== undefined || node.items !== undefined ? 1 : 0) + Math.max(0, ...depths);
  known.set(node, depth);
  return depth;
}
