import { isObject, type JsonObject, listAt } from "./json.js";
import { Unsayable } from "./unsayable.js";

/** Finds what a `$ref` within the document names, however often it is led on. */
export class References {
  readonly #document: JsonObject;

  constructor(document: JsonObject) {
    this.#document = document;
  }

  /** The object itself, or what its `$ref` names. */
  resolve(value: unknown): JsonObject {
    let found = value;
    for (const seen = new Set<string>(); isObject(found) && typeof found["$ref"] === "string";) {
      const reference = found["$ref"];
      if (seen.has(reference)) throw new Unsayable(`${reference} leads back to itself`);
      seen.add(reference);
      found = this.#at(reference);
    }
    if (!isObject(found)) throw new Unsayable("it is no object of the document");
    return found;
  }

  #at(reference: string): unknown {
    if (!reference.startsWith("#")) throw new Unsayable(`${reference} is outside of the document`);
    let found: unknown = this.#document;
    for (const part of reference.slice(1).split("/").slice(1)) {
      const key = decoded(part).replaceAll("~1", "/").replaceAll("~0", "~");
      if (Array.isArray(found)) found = found[Number(key)];
      else if (isObject(found) && Object.hasOwn(found, key)) found = found[key];
      else throw new Unsayable(`${reference} names nothing`);
    }
    return found;
  }

  /**
   * A schema without `$ref` and `allOf`: what several say together is one.
   *
   * @throws Unsayable when they contradict each other, or lead back to themselves.
   */
  flat(schema: unknown, within: ReadonlySet<JsonObject> = new Set()): JsonObject {
    if (schema === true || schema === undefined) return {};
    if (!isObject(schema)) throw new Unsayable("no value fits it");
    if (within.has(schema)) throw new Unsayable("it is made of itself");
    const inner = new Set([...within, schema]);
    const { $ref, allOf: _, ...own } = schema;
    const parts = [
      ...(typeof $ref === "string" ? [this.flat(this.resolve({ $ref }), inner)] : []),
      ...listAt(schema, "allOf").map((part) => this.flat(part, inner)),
    ];
    return [...parts, own].reduce<JsonObject>(merged, {});
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** What both say. The second one's words win: it is the outer one. */
function merged(one: JsonObject, other: JsonObject): JsonObject {
  const result: Record<string, unknown> = { ...one, ...other };
  for (const key of Object.keys(other)) {
    if (!Object.hasOwn(one, key)) continue;
    const [before, after] = [one[key], other[key]];
    if (key === "properties" && isObject(before) && isObject(after)) result[key] = mergedProperties(before, after);
    else if (key === "required" && Array.isArray(before) && Array.isArray(after))
      result[key] = [...new Set([...(before as unknown[]), ...(after as unknown[])])];
    else if (key === "type") result[key] = commonTypes(before, after);
    else if (key === "enum" && Array.isArray(before) && Array.isArray(after)) result[key] = commonValues(before, after);
    else if (key === "nullable") result[key] = before === true && after === true;
    else if (largest.has(key)) result[key] = Math.max(Number(before), Number(after));
    else if (smallest.has(key)) result[key] = Math.min(Number(before), Number(after));
    else if (choices.has(key)) throw new Unsayable(`two parts of it each have ${key}`);
  }
  // In OpenAPI 3.0 a part without `nullable` forbids null.
  if (one["nullable"] === true && typeof other["type"] === "string" && other["nullable"] !== true) result["nullable"] = false;
  return result;
}

const largest = new Set(["minimum", "minLength", "minItems"]);
const smallest = new Set(["maximum", "maxLength", "maxItems"]);
const choices = new Set(["oneOf", "anyOf", "items", "pattern", "not", "multipleOf"]);

function mergedProperties(one: JsonObject, other: JsonObject): JsonObject {
  const both = Object.keys(other).filter((name) => Object.hasOwn(one, name));
  return { ...one, ...other, ...Object.fromEntries(both.map((name) => [name, { allOf: [one[name], other[name]] }])) };
}

function commonTypes(one: unknown, other: unknown): unknown {
  const [before, after] = [one, other].map((types) => (Array.isArray(types) ? (types as unknown[]) : [types]));
  const common = (before ?? []).filter((type) => after?.includes(type) || (type === "number" && after?.includes("integer")));
  const narrowed = common.map((type) => (type === "number" && !after?.includes("number") ? "integer" : type));
  if ((before ?? []).includes("integer") && (after ?? []).includes("number") && !narrowed.includes("integer")) narrowed.push("integer");
  if (narrowed.length === 0) throw new Unsayable(`it would have to be both ${String(one)} and ${String(other)}`);
  return narrowed.length === 1 ? narrowed[0] : narrowed;
}

function commonValues(one: readonly unknown[], other: readonly unknown[]): readonly unknown[] {
  const common = one.filter((value) => other.includes(value));
  if (common.length === 0) throw new Unsayable("no value is in both of its lists");
  return common;
}
