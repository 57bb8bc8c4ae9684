import type { ObjectSchema, SchemaNode } from "../contracts/schema.js";
import { declaredTypes } from "./json-type.js";

/** What the API takes in one schema: https://developers.openai.com/api/docs/guides/structured-outputs#supported-schemas */
const MAX_PROPERTIES = 5000;
const MAX_LEVELS = 10;
const MAX_CHARACTERS = 120_000;
const MAX_ENUM_VALUES = 1000;
const LARGE_ENUM = 250;
const MAX_LARGE_ENUM_CHARACTERS = 15_000;

/** The first limit of the API that a schema is beyond, as a phrase; undefined when it is within all. */
export function beyondLimits(schema: ObjectSchema): string | undefined {
  const size = { properties: 0, characters: 0, enumValues: 0, largeEnum: 0 };
  const visit = (node: SchemaNode): void => {
    const names = Object.keys(node.properties ?? {});
    size.properties += names.length;
    size.characters += lengthOf([...names, ...Object.keys(node.$defs ?? {}), ...(node.enum ?? [])]);
    size.enumValues += node.enum?.length ?? 0;
    if ((node.enum?.length ?? 0) > LARGE_ENUM)
      size.largeEnum = Math.max(size.largeEnum, lengthOf((node.enum ?? []).filter((value) => typeof value === "string")));
    for (const child of childrenOf(node)) visit(child);
    for (const def of Object.values(node.$defs ?? {})) visit(def);
  };
  visit(schema);
  const levels = levelsOf(schema, schema, []);
  if (size.properties > MAX_PROPERTIES) return `it has ${size.properties} properties (the API takes ${MAX_PROPERTIES})`;
  if (levels > MAX_LEVELS) return `it nests ${levels} levels deep (the API takes ${MAX_LEVELS})`;
  if (size.characters > MAX_CHARACTERS)
    return `its names and constants have ${size.characters} characters (the API takes ${MAX_CHARACTERS})`;
  if (size.enumValues > MAX_ENUM_VALUES) return `it has ${size.enumValues} enum values (the API takes ${MAX_ENUM_VALUES})`;
  if (size.largeEnum > MAX_LARGE_ENUM_CHARACTERS)
    return `an enum of more than ${LARGE_ENUM} values has ${size.largeEnum} characters (the API takes ${MAX_LARGE_ENUM_CHARACTERS})`;
  return undefined;
}

/** Objects and arrays inside each other. The API's page does not say whether arrays count; counting them is on the safe side. */
function levelsOf(node: SchemaNode, root: ObjectSchema, open: readonly string[]): number {
  if (node.$ref !== undefined) {
    const name = node.$ref.slice("#/$defs/".length);
    const target = root.$defs?.[name];
    // Recursion is allowed; one turn of it counts.
    return target === undefined || open.includes(name) ? 0 : levelsOf(target, root, [...open, name]);
  }
  const own = declaredTypes(node).some((type) => type === "object" || type === "array") ? 1 : 0;
  return own + Math.max(0, ...childrenOf(node).map((child) => levelsOf(child, root, open)));
}

function childrenOf(node: SchemaNode): SchemaNode[] {
  return [...Object.values(node.properties ?? {}), ...(node.anyOf ?? []), ...(node.items === undefined ? [] : [node.items])];
}

function lengthOf(values: readonly unknown[]): number {
  return values.reduce<number>((sum, value) => sum + String(value).length, 0);
}
