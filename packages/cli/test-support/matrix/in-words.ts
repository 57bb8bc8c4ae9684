import type { DecodePlan, ObjectSchema, SchemaNode, ToolManifest } from "@toolwright/core";

const scalars: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  integer: "a whole number",
  boolean: "true or false",
  null: "null",
};

/** What a schema asks of the model, in plain English. */
export function schemaInWords(root: ObjectSchema): string {
  const parameters = Object.entries(root.properties).map(([name, node]) => `\`${name}\`: ${inWords(node)}`);
  const definitions = Object.entries(root.$defs ?? {}).map(([name, node]) => `*${name}* is ${inWords(node)}`);
  return parameters.length === 0 ? "an empty object" : [...parameters, ...definitions].join("; ");
}

function inWords(node: SchemaNode): string {
  const told = node.description === undefined ? "" : `, told “${node.description}”`;
  return `${plainWords(node)}${told}`;
}

function plainWords(node: SchemaNode): string {
  if (node.$ref !== undefined) return `*${node.$ref.slice("#/$defs/".length)}*`;
  if (node.anyOf !== undefined) return alternatives(node.anyOf.map(inWords));
  const types = typeof node.type === "string" ? [node.type] : (node.type ?? []);
  if (node.enum !== undefined) return alternatives(node.enum.map((value) => JSON.stringify(value)));
  return alternatives(types.map((type) => ofType(type, node)));
}

function ofType(type: string, node: SchemaNode): string {
  if (type === "array") return `a list of ${count(node)}${inWords(node.items ?? {})}`;
  if (type === "object") {
    const properties = Object.entries(node.properties ?? {}).map(([name, child]) => `\`${name}\` (${inWords(child)})`);
    return `an object with ${properties.join(", ")}`;
  }
  const rules = [
    node.format === undefined ? "" : ` in the form ${node.format}`,
    node.pattern === undefined ? "" : ` that matches \`${node.pattern}\``,
    ...(type === "string" ? [] : bounds(node)),
  ];
  return `${scalars[type] ?? type}${type === "null" ? "" : rules.join("")}`;
}

function bounds({ minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf }: SchemaNode): readonly string[] {
  const say = (value: number | undefined, words: string): string => (value === undefined ? "" : `, ${words} ${value}`);
  return [
    say(minimum, "at least"),
    say(exclusiveMinimum, "above"),
    say(maximum, "at most"),
    say(exclusiveMaximum, "below"),
    say(multipleOf, "a multiple of"),
  ];
}

function count({ minItems, maxItems }: SchemaNode): string {
  if (minItems !== undefined && minItems === maxItems) return `exactly ${minItems} items: `;
  if (minItems !== undefined) return `at least ${minItems} items: `;
  return maxItems === undefined ? "" : `at most ${maxItems} items: `;
}

const alternatives = (texts: readonly string[]): string =>
  texts.length < 2 ? (texts[0] ?? "") : `${texts.slice(0, -1).join(", ")} or ${texts.at(-1) ?? ""}`;

/** What the method gets otherwise than the model wrote it. */
export function decodedInWords({ decode, call }: ToolManifest): string {
  const parts = [
    ...(call.some((slot) => "arguments" in slot) ? ["all of it as one object"] : []),
    ...(call.some((slot) => "context" in slot) ? ["the context"] : []),
    ...instances(decode),
  ];
  return parts.length === 0 ? "the same" : [...new Set(parts)].join("; ");
}

function instances(plan: DecodePlan | undefined | null): readonly string[] {
  if (plan === undefined || plan === null) return [];
  const below = [plan.items, ...Object.values(plan.properties ?? {}), ...(plan.anyOf ?? []), ...Object.values(plan.defs ?? {})];
  return [
    ...(plan.optional ?? []).map((name) => `no \`${name}\` for null`),
    ...(plan.dto === undefined ? [] : [`an instance of ${plan.dto}`]),
    ...(plan.date === true ? ["a Date"] : []),
    ...below.flatMap(instances),
  ];
}
