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

/** Which limits a schema exceeds. */
export function limitProblems(schema: ObjectSchema): readonly ProblemText[] {
  const totals = { properties: 0, characters: 0, enumValues: 0 };
  const problems: ProblemText[] = [];
  for (const node of nodesOf(schema)) {
    const names = [...Object.keys(node.properties ?? {}), ...Object.keys(node.$defs ?? {})];
    totals.properties += Object.keys(node.properties ?? {}).length;
    totals.characters += lengthOf(names);
    if (node.enum === undefined) continue;
    const characters = lengthOf(node.enum);
    totals.enumValues += node.enum.length;
    totals.characters += characters;
    if (node.enum.length > apiLimits.largeEnum && characters > apiLimits.largeEnumCharacters) {
      problems.push(
        exceeded("an enum", characters, "characters", apiLimits.largeEnumCharacters, "Take a string, and check it in the method."),
      );
    }
  }
  const split = "Split the tool, or take fewer details.";
  if (totals.properties > apiLimits.properties)
    problems.push(exceeded("the schema", totals.properties, "properties", apiLimits.properties, split));
  if (totals.enumValues > apiLimits.enumValues)
    problems.push(
      exceeded("the schema", totals.enumValues, "enum values", apiLimits.enumValues, "Take a string, and check it in the method."),
    );
  if (totals.characters > apiLimits.characters)
    problems.push(exceeded("the schema", totals.characters, "characters of names and enum values", apiLimits.characters, split));
  const depth = depthOf(schema, schema, new Set());
  if (depth > apiLimits.depth)
    problems.push(
      exceeded("the schema", depth, "levels of objects and arrays", apiLimits.depth, "Flatten the type, or take the id of an inner part."),
    );
  return problems;
}

const exceeded = (what: string, found: number, unit: string, limit: number, fix: string): ProblemText => ({
  reason: `For OpenAI's strict mode ${what} is too large: it has ${found} ${unit}, and ${limit} are allowed.`,
  fix,
});

const lengthOf = (values: readonly unknown[]): number => values.reduce((sum: number, value) => sum + String(value).length, 0);

function* nodesOf(node: SchemaNode): Generator<SchemaNode> {
  yield node;
  for (const child of [...Object.values(node.properties ?? {}), ...Object.values(node.$defs ?? {}), ...(node.anyOf ?? [])])
    yield* nodesOf(child);
  if (node.items !== undefined) yield* nodesOf(node.items);
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
