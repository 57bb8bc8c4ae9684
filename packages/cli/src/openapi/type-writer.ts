import { shortened } from "./doc-comment.js";
import type { References } from "./flat-schema.js";
import { isObject, type JsonObject, listAt, objectAt, textAt } from "./json.js";
import { inherited, pascalName, type UniqueNames } from "./names.js";
import { rulesOf } from "./rules.js";
import { literalTypes, textType, wordsFor } from "./scalar-types.js";
import { annotations, isPlainObject, onlyRequires, soleReference, typesOf } from "./schema-kind.js";
import { arrayOf, objectText, type PropertyText, scalar, type TypeText, unionOf } from "./type-text.js";
import { type Note, Unsayable } from "./unsayable.js";
import { areAlike, type VariantLiterals } from "./variants.js";

/** A type with a name, which several tools may use. */
export interface NamedType {
  readonly name: string;
  readonly text: string;
  readonly description: string;
  readonly depth: number;
}

/** Writes TypeScript types for the schemas of requests: what the schema compiler would refuse is {@link Unsayable}. */
export class TypeWriter {
  readonly #references: References;
  readonly #names: UniqueNames;
  readonly #literals: VariantLiterals;
  /** Finished and begun ones, by their `$ref`, in the order in which they were begun. */
  readonly #named = new Map<string, NamedType>();
  readonly #refused = new Map<string, string>();
  readonly #nameOf = new Map<string, string>();
  /** Schemas without a name that are being written. */
  #within = new Set<unknown>();
  #notes: Note[] = [];

  constructor(references: References, names: UniqueNames, literals: VariantLiterals) {
    this.#references = references;
    this.#names = names;
    this.#literals = literals;
  }

  get named(): readonly NamedType[] {
    return [...this.#named.values()];
  }

  /**
   * The type of a schema, and what was left out of it.
   *
   * @throws Unsayable when there is none.
   */
  write(schema: unknown, where: string): { readonly type: TypeText; readonly notes: readonly Note[] } {
    this.#notes = [];
    const before = new Set(this.#named.keys());
    try {
      const type = this.#type(schema, where);
      const { default: standard, example } = this.#references.flat(schema);
      return { type: { ...type, words: [...type.words, ...wordsFor(standard, example)] }, notes: this.#notes };
    } catch (error) {
      // What was written on the way may speak of a type that came to nothing.
      for (const key of this.#named.keys()) if (!before.has(key)) this.#named.delete(key);
      throw error;
    }
  }

  #type(schema: unknown, where: string): TypeText {
    const reference = soleReference(schema);
    const flat = this.#references.flat(schema);
    if (reference !== undefined && isPlainObject(flat)) {
      const target = this.#references.flat({ $ref: reference });
      const nullable = (schema as JsonObject)["nullable"] === true || flat["nullable"] === true || typesOf(flat).includes("null");
      const type = { ...scalar(this.#name(reference, target)), depth: this.#named.get(reference)?.depth ?? 0 };
      return nullable ? unionOf([type, scalar("null")]) : type;
    }
    const itself = reference === undefined ? schema : this.#references.resolve({ $ref: reference });
    if (this.#within.has(itself)) throw new Unsayable("it is made of itself, without an object between");
    this.#within.add(itself);
    try {
      return this.#flatType(flat, where);
    } finally {
      this.#within.delete(itself);
    }
  }

  #flatType(flat: JsonObject, where: string): TypeText {
    if (flat["not"] !== undefined) this.#note("left out", where, "what it must not be (`not`) is left to the server");
    const choices = [...listAt(flat, "oneOf"), ...listAt(flat, "anyOf")];
    if (choices.length > 0) return this.#union(flat, choices, where);
    const values = flat["const"] !== undefined ? [flat["const"]] : listAt(flat, "enum");
    const nullable = flat["nullable"] === true ? [scalar("null")] : [];
    if (values.length > 0) return unionOf([...literalTypes(values), ...nullable]);
    const types = typesOf(flat);
    if (types.length === 0) throw new Unsayable("it says nothing of its type");
    return unionOf([...types.map((type) => this.#ofType(type, flat, where)), ...nullable]);
  }

  #ofType(type: string, flat: JsonObject, where: string): TypeText {
    switch (type) {
      case "string":
        return textType(flat);
      case "number":
      case "integer": {
        const { tags, words } = rulesOf({ ...flat, type }, "number");
        return scalar("number", tags, words);
      }
      case "boolean":
      case "null":
        return scalar(type);
      case "array":
        return this.#array(flat, where);
      case "object":
        return this.#object(flat, where, undefined);
      default:
        throw new Unsayable(`there is no type ${type}`);
    }
  }

  #array(flat: JsonObject, where: string): TypeText {
    if (flat["prefixItems"] !== undefined) throw new Unsayable("it is a list whose places have types of their own");
    if (flat["items"] === undefined) throw new Unsayable("it is a list of anything");
    return arrayOf(
      inPart("[]", () => this.#type(flat["items"], `${where}[]`)),
      rulesOf(flat, "array"),
    );
  }

  #object(flat: JsonObject, where: string, overrides: ReadonlyMap<string, readonly string[]> | undefined): TypeText {
    const properties: PropertyText[] = [];
    const required = new Set(listAt(flat, "required"));
    // A discriminator's property is always needed, even where its schema does not mention it.
    const mentioned = Object.fromEntries([...(overrides?.keys() ?? [])].map((name) => [name, {}]));
    for (const [name, schema] of Object.entries({ ...mentioned, ...objectAt(flat, "properties") })) {
      const isRequired = required.delete(name) || overrides?.has(name) === true;
      try {
        const property = this.#property(name, schema, isRequired, `${where}.${name}`, overrides?.get(name));
        if (property !== undefined) properties.push(property);
      } catch (error) {
        if (!(error instanceof Unsayable)) throw error;
        if (isRequired) throw error.below(name);
        this.#note("left out", `${where}.${error.below(name).place}`, error.message);
      }
    }
    const [lost] = required;
    if (lost !== undefined) throw new Unsayable(`${String(lost)} is required, and nothing says what it is`);
    const open = flat["additionalProperties"];
    const isOpen = open === true || isObject(open) || flat["patternProperties"] !== undefined;
    if (properties.length === 0)
      throw new Unsayable(isOpen ? "it is an object with free keys" : "it is an object without properties to give");
    if (isOpen) this.#note("left out", where, "keys beyond the named ones");
    return { text: objectText(properties), tags: [], words: [], depth: 1 + Math.max(...properties.map(({ type }) => type.depth)) };
  }

  #property(
    name: string,
    schema: unknown,
    isRequired: boolean,
    where: string,
    values: readonly string[] | undefined,
  ): PropertyText | undefined {
    if (name === "__proto__" || (!isRequired && inherited.includes(name))) throw new Unsayable("every object has something of that name");
    const { description, readOnly, default: standard, example } = this.#references.flat(schema);
    // What only answers have.
    if (readOnly === true) return undefined;
    const type = values === undefined ? this.#type(schema, where) : unionOf(literalTypes(values));
    const own = isObject(schema) && typeof schema["description"] === "string" ? schema["description"] : description;
    return {
      name,
      type: { ...type, words: [...type.words, ...wordsFor(standard, example)] },
      optional: !isRequired,
      description: typeof own === "string" ? shortened(own, 300) : "",
    };
  }

  #union(flat: JsonObject, choices: readonly unknown[], where: string): TypeText {
    const { oneOf: _, anyOf: __, discriminator: ___, ...base } = flat;
    if (choices.every(onlyRequires)) {
      this.#note("left out", where, "which of its properties must be there together is left to the server");
      return this.#flatType(base, where);
    }
    const isBase = Object.keys(base).some((key) => !annotations.includes(key) && key !== "type");
    const variants = choices.map((choice) => (isBase ? { allOf: [base, choice] } : choice)).filter(isObject);
    const objects = variants.filter((variant) => isPlainObject(this.#references.flat(variant)));
    if (areAlike(objects, this.#references, this.#literals)) throw new Unsayable("nothing tells the kinds of objects that it may be apart");
    const types = variants.map((variant) => this.#type(variant, where));
    if (types.filter(({ text }) => text.endsWith("[]")).length > 1) throw new Unsayable("it may be lists of several kinds");
    return unionOf([...types, ...(flat["nullable"] === true ? [scalar("null")] : [])]);
  }

  /** The name of a schema's type; the type is written once, and one that refers to itself has its name meanwhile. */
  #name(reference: string, flat: JsonObject): string {
    const known = this.#named.get(reference);
    if (known !== undefined) return known.name;
    const refusal = this.#refused.get(reference);
    if (refusal !== undefined) throw new Unsayable(refusal);
    const own = reference.slice(reference.lastIndexOf("/") + 1);
    const name = this.#nameOf.get(reference) ?? this.#names.take(pascalName(own, "Type"));
    this.#nameOf.set(reference, name);
    const description = shortened(textAt(flat, "description") ?? "", 300);
    const before = new Set(this.#named.keys());
    this.#named.set(reference, { name, text: "", description, depth: 0 });
    const within = this.#within;
    // What is below a name may come back to what is above it.
    this.#within = new Set();
    try {
      const { text, depth } = this.#object(flat, own, this.#literals.get(reference));
      this.#named.set(reference, { name, text, description, depth });
      return name;
    } catch (error) {
      for (const key of this.#named.keys()) if (!before.has(key)) this.#named.delete(key);
      if (error instanceof Unsayable)
        this.#refused.set(reference, `${own}${error.place === "" ? "" : `.${error.place}`}: ${error.message}`);
      throw error;
    } finally {
      this.#within = within;
    }
  }

  #note(kind: Note["kind"], where: string, reason: string): void {
    if (!this.#notes.some((note) => note.where === where && note.reason === reason)) this.#notes.push({ kind, where, reason });
  }
}

function inPart<T>(part: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw error instanceof Unsayable ? error.below(part) : error;
  }
}
