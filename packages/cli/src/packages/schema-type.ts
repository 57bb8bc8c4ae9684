import { type JsonSchema, visibleText } from "@toolwright/core";

const deepest = 8;

/**
 * The TypeScript type of plain JSON Schema, on one line but for the doc comments of its keys. What it cannot say is
 * `unknown`; the schema itself is checked at run time.
 *
 * @param isOptional - whether a key at the root may be left out though the schema requires it.
 */
export function schemaType(schema: JsonSchema, indent: string, isOptional: (key: string) => boolean): string {
  const definitions = (schema["$defs"] ?? {}) as Readonly<Record<string, JsonSchema>>;
  return objectType(schema, { definitions, level: 0 }, indent, isOptional);
}

interface Scope {
  readonly definitions: Readonly<Record<string, JsonSchema>>;
  readonly level: number;
}

function typeOf(node: unknown, scope: Scope, indent: string): string {
  if (typeof node !== "object" || node === null || scope.level > deepest) return "unknown";
  const inner: Scope = { ...scope, level: scope.level + 1 };
  const { $ref, enum: values, anyOf, type, format, items } = node as Readonly<Record<string, unknown>>;
  if (typeof $ref === "string") {
    const name = $ref.replace("#/$defs/", "");
    return typeOf(Object.hasOwn(scope.definitions, name) ? scope.definitions[name] : undefined, inner, indent);
  }
  if (Array.isArray(values)) return union(values.map((value: unknown) => JSON.stringify(value)));
  if (Array.isArray(anyOf)) return union(anyOf.map((branch) => typeOf(branch, inner, indent)));
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  return union(
    types.map((each) => {
      if (each === "array") return `readonly (${typeOf(items, inner, indent)})[]`;
      // The constructor of the package's own objects takes a Date, its schema the text of one.
      if (each === "string") return format === "date-time" ? "Date | string" : "string";
      if (each === "object") return objectType(node as JsonSchema, inner, indent, () => false);
      return scalarNames[String(each)] ?? "unknown";
    }),
  );
}

const scalarNames: Readonly<Record<string, string>> = { number: "number", integer: "number", boolean: "boolean", null: "null" };

function objectType(node: JsonSchema, scope: Scope, indent: string, isOptional: (key: string) => boolean): string {
  const { properties = {}, required = [] } = node as { properties?: Readonly<Record<string, JsonSchema>>; required?: readonly string[] };
  const keys = Object.keys(properties);
  if (keys.length === 0) return "Record<string, never>";
  const inner = `${indent}  `;
  const lines = keys.flatMap((key) => {
    const child = properties[key] as JsonSchema;
    const mayBeAbsent = !required.includes(key) || isOptional(key);
    const type = typeOf(child, { ...scope, level: scope.level + 1 }, inner);
    const { description } = child as { description?: unknown };
    const comment = typeof description === "string" ? [`${inner}/** ${commentText(description)} */`] : [];
    return [...comment, `${inner}readonly ${keyText(key)}${mayBeAbsent ? "?" : ""}: ${type}${mayBeAbsent ? " | undefined" : ""};`];
  });
  return `{\n${lines.join("\n")}\n${indent}}`;
}

const keyText = (key: string): string => (/^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key));

const union = (types: readonly string[]): string => [...new Set(types)].join(" | ");

/** A text of a package inside a comment: it must not end the comment. */
export const commentText = (text: string): string => visibleText(text).replaceAll("*/", "*\\/");
