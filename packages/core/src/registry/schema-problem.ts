import type { DecodePlan, ObjectSchema, SchemaNode } from "../contracts/schema.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { compileArguments } from "../schema/compile-schema.js";
import { beyondLimits } from "../schema/strict-limits.js";
import { isPlainSchema } from "./plain-schema.js";

/**
 * Why arguments could not be checked against a schema, or why the API would refuse it; undefined when it is fit for use.
 * Every part of it is compiled now, definitions included, which otherwise are when they are first needed.
 */
export function schemaProblem(schema: ObjectSchema, plan: DecodePlan | undefined): string | undefined {
  try {
    return isPlainSchema(schema, plan) ? undefined : compiledProblem(schema, plan);
  } catch {
    // A value of the wrong form, such as a number in place of a list.
    return wrongKind;
  }
}

const wrongKind = "its schema or decode plan has values of the wrong kind";

/** The same of any schema, at length. */
export function compiledProblem(schema: ObjectSchema, plan: DecodePlan | undefined): string | undefined {
  try {
    if (schema.anyOf !== undefined || schema.$ref !== undefined) return "its schema is a choice or a reference at the root";
    compile(schema, plan);
    for (const name of Object.keys(schema.$defs ?? {})) compile(schemaOf(name, schema), planOf(name, plan));
    return looseNode(schema) ?? beyondLimits(schema)?.replace(/^it/, "its schema");
  } catch (error) {
    if (!ToolwrightError.is(error)) return wrongKind;
    return /at ".*", .*(?=\.$)/s.exec(error.message.split("\n")[0] as string)?.[0] ?? "its schema cannot be checked";
  }
}

function compile(schema: ObjectSchema, plan: DecodePlan | undefined): void {
  // A value in every property, so that what a property refers to is compiled too.
  compileArguments(schema, plan).check(Object.fromEntries(Object.keys(schema.properties).map((name) => [name, 0])));
}

/** An object with one definition as its only property. */
function schemaOf(name: string, { $defs = {} }: ObjectSchema): ObjectSchema {
  const $ref = `#/$defs/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
  return { type: "object", properties: { value: { $ref } }, required: ["value"], additionalProperties: false, $defs };
}

function planOf(name: string, plan: DecodePlan | undefined): DecodePlan | undefined {
  const { defs } = plan ?? {};
  return defs !== undefined && Object.hasOwn(defs, name) ? { properties: { value: { ref: name } }, defs } : undefined;
}

// Strict mode wants every property of every object in `required`.
function looseNode(schema: ObjectSchema): string | undefined {
  const pending: (readonly [path: string, node: SchemaNode])[] = [["", schema]];
  for (const [path, node] of pending) {
    const { properties = {}, required = [], items, anyOf = [], $defs = {}, description = "" } = node;
    if (typeof description !== "string") return `at "${path}", the description is no text`;
    const missing = Object.keys(properties).find((name) => !required.includes(name));
    if (missing !== undefined) return `at "${path}", the property "${missing}" is not in "required"`;
    const inner = (key: string): string => (path === "" ? key : `${path}.${key}`);
    for (const [name, child] of Object.entries(properties)) pending.push([inner(name), child]);
    if (items !== undefined) pending.push([`${path}[]`, items]);
    for (const branch of anyOf) pending.push([path, branch]);
    for (const [name, child] of Object.entries($defs)) pending.push([name, child]);
  }
  return undefined;
}
