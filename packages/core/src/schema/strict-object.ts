import type { DecodePlan, SchemaNode } from "../contracts/schema.js";
import { isPlainObject } from "./json-type.js";
import { jsonText, type RawSchema, type StrictContext, type StrictNode } from "./strict-context.js";
import { kindOf } from "./strict-kind.js";
import { nullable } from "./strict-nullable.js";

/** Makes an object closed, with every property required; optional ones become nullable. */
export function convertObject(context: StrictContext, raw: RawSchema, path: string): StrictNode {
  const declared = raw["properties"] ?? (path === "" ? {} : undefined);
  refuseOpen(context, raw, path);
  if (!isPlainObject(declared)) {
    throw context.refuse(
      path,
      "an object without `properties` has keys that nobody knows",
      "Declare its properties, or use an array of `{ key, value }` objects.",
    );
  }
  const required = new Set(Array.isArray(raw["required"]) ? (raw["required"] as readonly unknown[]) : []);
  const undeclared = [...required].find((name) => !Object.hasOwn(declared, String(name)));
  if (undeclared !== undefined)
    throw context.refuse(
      path,
      `"${String(undeclared)}" is required but not among the properties`,
      "Declare it, or take it out of `required`.",
    );

  const properties: [string, SchemaNode][] = [];
  const plans: [string, DecodePlan][] = [];
  const optional: string[] = [];
  for (const [name, child] of Object.entries(declared)) {
    const place = path === "" ? name : `${path}.${name}`;
    if (name === "__proto__" || name === "") throw context.refuse(path, `a property is called "${name}"`, "Use another name.");
    let converted = context.convert(context, child, place);
    if (!required.has(name)) {
      converted = withDefault(converted, child);
      // A node that takes null by itself keeps its null: only one that was added here means "absent".
      if (!kindOf(context, child, place).types.includes("null")) {
        converted = nullable(converted);
        optional.push(name);
      }
    }
    properties.push([name, converted.schema]);
    if (converted.plan !== undefined) plans.push([name, converted.plan]);
  }
  const plan: DecodePlan = { ...(optional.length > 0 && { optional }), ...(plans.length > 0 && { properties: Object.fromEntries(plans) }) };
  const ordered = constantsFirst(properties);
  return {
    schema: {
      type: "object",
      properties: Object.fromEntries(ordered),
      required: ordered.map(([name]) => name),
      additionalProperties: false,
    },
    plan: Object.keys(plan).length > 0 ? plan : undefined,
  };
}

function refuseOpen(context: StrictContext, raw: RawSchema, path: string): void {
  const open = raw["additionalProperties"] ?? raw["unevaluatedProperties"];
  if (open === undefined || open === false) return;
  throw context.refuse(
    path,
    "the object is open: further keys are allowed",
    "Set `additionalProperties: false`; for a map, use an array of `{ key, value }` objects.",
  );
}

/** Models must be told apart by their first key: a constant one is what tells them apart. */
function constantsFirst(properties: readonly [string, SchemaNode][]): [string, SchemaNode][] {
  const isConstant = ([, schema]: readonly [string, SchemaNode]): boolean => schema.enum?.length === 1;
  return [...properties.filter(isConstant), ...properties.filter((property) => !isConstant(property))];
}

function withDefault(node: StrictNode, raw: unknown): StrictNode {
  if (!isPlainObject(raw) || raw["default"] === undefined) return node;
  const text = jsonText(raw["default"]);
  if (text === undefined || text.length > 100) return node;
  const { description, ...rest } = node.schema;
  const described = `${description === undefined ? "" : `${description.replace(/[.\s]+$/, "")}. `}Default: ${text}.`;
  // A reference may have nothing beside it.
  return rest.$ref === undefined
    ? { ...node, schema: { description: described, ...rest } }
    : { schema: { description: described, anyOf: [rest] }, plan: node.plan === undefined ? undefined : { anyOf: [node.plan] } };
}
