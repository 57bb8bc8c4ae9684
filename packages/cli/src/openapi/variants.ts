import type { References } from "./flat-schema.js";
import { isObject, type JsonObject, listAt, objectAt, textAt } from "./json.js";

/** By the `$ref` of a schema, the texts that its properties have in the unions it is one kind of. */
export type VariantLiterals = ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>;

/** What the discriminators of a document say: in `Cat | Dog` by `petType`, a Cat's is "cat". */
export function variantLiterals(document: JsonObject): VariantLiterals {
  const found = new Map<string, Map<string, string[]>>();
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) return value.forEach(visit);
    if (!isObject(value)) return;
    const property = textAt(value["discriminator"], "propertyName");
    if (property !== undefined) {
      for (const variant of [...listAt(value, "oneOf"), ...listAt(value, "anyOf")]) {
        const reference = textAt(variant, "$ref");
        if (reference !== undefined) add(found, reference, property, valuesOf(reference, objectAt(value["discriminator"], "mapping")));
      }
    }
    Object.values(value).forEach(visit);
  };
  visit(document);
  return found;
}

function add(found: Map<string, Map<string, string[]>>, reference: string, property: string, values: readonly string[]): void {
  const properties = found.get(reference) ?? new Map<string, string[]>();
  found.set(reference, properties);
  properties.set(property, [...new Set([...(properties.get(property) ?? []), ...values])]);
}

/** A mapping names a schema by its `$ref` or its name; without one the schema's name is the value. */
function valuesOf(reference: string, mapping: JsonObject): readonly string[] {
  const name = reference.slice(reference.lastIndexOf("/") + 1);
  const mapped = Object.entries(mapping).filter(([, target]) => target === reference || target === name);
  return mapped.length > 0 ? mapped.map(([value]) => value) : [name];
}

/** What tells an object apart from others: the texts of its properties, and the property it begins with. */
interface Shape {
  readonly literals: ReadonlyMap<string, readonly unknown[]>;
  readonly first: string | undefined;
}

/** Whether nothing tells the objects of a union apart: neither a property with texts of its own in each, nor the property they begin with. */
export function areAlike(variants: readonly JsonObject[], references: References, literals: VariantLiterals): boolean {
  const shapes = variants.map((variant) => shapeOf(variant, references, literals));
  return shapes.some((one, index) => shapes.slice(index + 1).some((other) => !differ(one, other)));
}

function differ(one: Shape, other: Shape): boolean {
  for (const [name, values] of one.literals) {
    const others = other.literals.get(name);
    if (others !== undefined && values.every((value) => !others.includes(value))) return true;
  }
  return one.first !== undefined && other.first !== undefined && one.first !== other.first;
}

function shapeOf(variant: JsonObject, references: References, literals: VariantLiterals): Shape {
  const flat = references.flat(variant);
  const required = listAt(flat, "required");
  const properties = objectAt(flat, "properties");
  const own = new Map<string, readonly unknown[]>();
  for (const [name, schema] of Object.entries(properties)) {
    if (!required.includes(name)) continue;
    const { enum: values, const: value } = flatOrNothing(references, schema);
    if (Array.isArray(values)) own.set(name, values as unknown[]);
    else if (value !== undefined) own.set(name, [value]);
  }
  for (const [name, values] of literals.get(textAt(variant, "$ref") ?? "") ?? []) own.set(name, values);
  return { literals: own, first: Object.keys(properties).find((name) => required.includes(name)) };
}

function flatOrNothing(references: References, schema: unknown): JsonObject {
  try {
    return references.flat(schema);
  } catch {
    return {};
  }
}
