import type { SchemaNode } from "../contracts/schema.js";
import { isPlainObject, JSON_TYPES, jsonType } from "./json-type.js";
import { jsonText, type RawSchema, type StrictContext, type StrictNode } from "./strict-context.js";
import { convertObject } from "./strict-object.js";
import { stringRules } from "./strict-string.js";
import { convertUnion } from "./strict-union.js";

/** Notes for readers and tools, which change nothing about what is valid. */
const ANNOTATIONS = "$schema $id $comment $anchor id title examples example default deprecated readOnly writeOnly description".split(" ");
const CONVERTED = [
  ..."type properties required additionalProperties unevaluatedProperties items prefixItems minItems maxItems anyOf oneOf allOf $ref $defs".split(
    " ",
  ),
  ..."definitions enum const pattern format minLength maxLength minimum maximum exclusiveMinimum exclusiveMaximum multipleOf".split(" "),
];
const KEYWORDS = new Set([...ANNOTATIONS, ...CONVERTED]);
const notOfObjects = "items prefixItems minItems maxItems pattern format minLength maxLength minimum maximum multipleOf".split(" ");
const NUMBER_RULES = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"] as const;

type Primitive = string | number | boolean | null;

/** Converts one node of any JSON Schema, or throws what stands in the way. */
export function convertNode(context: StrictContext, raw: unknown, path: string): StrictNode {
  if (!isPlainObject(raw)) {
    const reason = raw === true ? "it takes anything" : raw === false ? "it takes nothing" : "it is not a schema";
    throw context.refuse(path, reason, "Say what the value is: `{ type: … }`.");
  }
  const unknown = Object.keys(raw).find((keyword) => raw[keyword] !== undefined && !KEYWORDS.has(keyword));
  if (unknown !== undefined && !(unknown === "uniqueItems" && (context.enforced || raw[unknown] === false))) {
    throw context.refuse(
      path,
      `the keyword \`${unknown}\` has no place in strict schemas`,
      "Take it out, and check it in the tool instead.",
    );
  }
  const description = typeof raw["description"] === "string" && raw["description"] !== "" ? raw["description"] : undefined;
  return context.within(raw, path, () => described(convertKind(context, raw, path), description));
}

function convertKind(context: StrictContext, raw: RawSchema, path: string): StrictNode {
  const { $ref: reference, anyOf, oneOf, allOf } = raw;
  const kinds = [reference, anyOf, oneOf, allOf].filter((value) => value !== undefined).length;
  if (
    kinds > 1 ||
    (kinds === 1 &&
      CONVERTED.some(
        (keyword) => raw[keyword] !== undefined && !["$ref", "anyOf", "oneOf", "allOf", "$defs", "definitions"].includes(keyword),
      ))
  ) {
    // `{ type: "object", anyOf: […] }` means both at once.
    throw context.refuse(path, "a reference or choice has rules beside it", "Put the rules into what is referred to, or into each branch.");
  }
  if (typeof reference === "string") {
    if (path === "") return context.convert(context, context.target(reference, path), path);
    const name = context.define(reference, path);
    return { schema: { $ref: `#/$defs/${name}` }, plan: { ref: name } };
  }
  if (anyOf !== undefined) return convertUnion(context, raw, "anyOf", path);
  if (oneOf !== undefined) return convertUnion(context, raw, "oneOf", path);
  if (Array.isArray(allOf)) {
    if (allOf.length === 1) return context.convert(context, allOf[0], path);
    throw context.refuse(path, "`allOf` has several parts", "Write them as one object.");
  }
  if (raw["const"] !== undefined) return convertEnum(context, raw, [raw["const"]], path);
  if (raw["enum"] !== undefined) return convertEnum(context, raw, raw["enum"], path);
  return convertTyped(context, raw, path);
}

function convertEnum(context: StrictContext, raw: RawSchema, listed: unknown, path: string): StrictNode {
  if (path === "") throw notAnObject(context);
  const declared = typesOf(context, raw, path);
  const values = (Array.isArray(listed) ? listed : []).filter(
    (value) => declared.length === 0 || declared.includes(typeName(value, declared)),
  );
  if (values.length === 0 || values.some((value) => typeof value === "object" && value !== null)) {
    throw context.refuse(path, "its constants are not strings, numbers, booleans or null of its type", "List such values only.");
  }
  const types = [...new Set(values.map((value) => typeName(value, declared)))];
  // Of integers and fractions together, "number" is the type of both.
  const needed = types.includes("number") ? types.filter((type) => type !== "integer") : types;
  if (needed.length === 1 && needed[0] === "null") return { schema: { type: "null" }, plan: undefined };
  return {
    schema: { type: needed.length === 1 ? (needed[0] as string) : needed, enum: [...new Set(values)] as Primitive[] },
    plan: undefined,
  };
}

function typeName(value: unknown, declared: readonly string[]): string {
  const type = jsonType(value) ?? "nothing";
  return type === "integer" && declared.includes("number") ? "number" : type;
}

function convertTyped(context: StrictContext, raw: RawSchema, path: string): StrictNode {
  const types = typesOf(context, raw, path);
  if (types.length === 0) throw context.refuse(path, "it takes anything", "Say what the value is: `{ type: … }`.");
  if (path === "" && (types.length > 1 || types[0] !== "object")) throw notAnObject(context);
  const scalars = types.filter((type) => type !== "object" && type !== "array");
  const nodes: StrictNode[] = [];
  if (types.includes("object")) nodes.push(convertObject(context, raw, path));
  if (types.includes("array")) nodes.push(convertArray(context, raw, path));
  if (scalars.length > 0) nodes.push(convertScalars(context, raw, scalars, path));
  if (nodes.length === 1) return nodes[0] as StrictNode;
  const plans = nodes.map(({ plan }) => plan ?? null);
  return { schema: { anyOf: nodes.map(({ schema }) => schema) }, plan: plans.some((plan) => plan !== null) ? { anyOf: plans } : undefined };
}

const notAnObject = (context: StrictContext): Error =>
  context.refuse("", "it is not an object", 'Make the root `{ type: "object", properties: … }`.');

function convertScalars(context: StrictContext, raw: RawSchema, types: readonly string[], path: string): StrictNode {
  const strings = types.includes("string") ? stringRules(context, raw, path) : { rules: {}, notes: [] };
  const numbers = types.includes("number") || types.includes("integer") ? numberRules(context, raw, path) : {};
  const schema: SchemaNode = { type: types.length === 1 ? (types[0] as string) : types, ...strings.rules, ...numbers };
  return described({ schema, plan: undefined }, strings.notes.length > 0 ? strings.notes.join(" ") : undefined);
}

function numberRules(context: StrictContext, raw: RawSchema, path: string): SchemaNode {
  const rules: Partial<Record<(typeof NUMBER_RULES)[number], number>> = {};
  for (const keyword of NUMBER_RULES) {
    const value = raw[keyword];
    if (value === undefined) continue;
    if (typeof value !== "number" || !Number.isFinite(value))
      throw context.refuse(path, `\`${keyword}\` is not a number`, "Give it as a number.");
    rules[keyword] = value;
  }
  return rules;
}

function convertArray(context: StrictContext, raw: RawSchema, path: string): StrictNode {
  const { items, prefixItems, minItems, maxItems } = raw;
  const place = `${path}[]`;
  const tuple = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : undefined;
  if (tuple !== undefined) return convertTuple(context, raw, tuple, path);
  const item = context.convert(context, items ?? true, place);
  const bounds = { ...(typeof minItems === "number" && { minItems }), ...(typeof maxItems === "number" && { maxItems }) };
  return { schema: { type: "array", items: item.schema, ...bounds }, plan: item.plan === undefined ? undefined : { items: item.plan } };
}

/** A tuple of equal members and fixed length is an array; another one has no strict form. */
function convertTuple(context: StrictContext, raw: RawSchema, members: readonly unknown[], path: string): StrictNode {
  const rest = Array.isArray(raw["items"]) ? raw["additionalItems"] : raw["items"];
  const first = jsonText(members[0]);
  const equal = first !== undefined && members.every((member) => jsonText(member) === first);
  if (!equal || members.length === 0 || rest !== false || (raw["minItems"] ?? 0) !== members.length) {
    throw context.refuse(path, "it is a tuple of different members or open length", "Use an object with a property for each member.");
  }
  const item = context.convert(context, members[0], `${path}[]`);
  const bounds = { minItems: members.length, maxItems: members.length };
  return { schema: { type: "array", items: item.schema, ...bounds }, plan: item.plan === undefined ? undefined : { items: item.plan } };
}

function typesOf(context: StrictContext, raw: RawSchema, path: string): readonly string[] {
  const { type } = raw;
  const types = typeof type === "string" ? [type] : Array.isArray(type) ? type.map(String) : [];
  const unknown = types.find((name) => !JSON_TYPES.has(name));
  if (unknown !== undefined)
    throw context.refuse(path, `the type "${unknown}" does not exist`, `Use one of ${[...JSON_TYPES].join(", ")}.`);
  // A root without a type is an object, unless it has rules for something else.
  if (types.length === 0 && path === "" && notOfObjects.some((keyword) => raw[keyword] !== undefined)) throw notAnObject(context);
  if (types.length === 0 && (raw["properties"] !== undefined || path === ""))
    return raw["enum"] === undefined && raw["const"] === undefined ? ["object"] : [];
  return [...new Set(types)];
}

/** Adds a description; a reference may have nothing beside it, so it moves into a choice of one. */
function described(node: StrictNode, description: string | undefined): StrictNode {
  if (description === undefined) return node;
  const { description: notes, ...rest } = node.schema;
  const text = notes === undefined ? description : `${description} (${notes})`;
  if (rest.$ref === undefined) return { ...node, schema: { description: text, ...rest } };
  return { schema: { description: text, anyOf: [rest] }, plan: node.plan === undefined ? undefined : { anyOf: [node.plan] } };
}
