import type { SchemaNode } from "../contracts/schema.js";
import { declaredTypes, jsonType } from "../schema/json-type.js";
import { canonicalJson } from "../schema/canonical-json.js";
import { type ReadJson, readJson } from "./read-json.js";

/** A value that has the form of a node; `same` when nothing of it had to be changed. */
export interface Fit {
  readonly value: unknown;
  readonly same: boolean;
}

/** Looks at nodes that one call may cost: a union of unions of objects could else take for ever. */
const looks = 10_000;

/**
 * Gives values the form that a schema asks for, where that loses nothing and leaves no choice. It looks at types, keys and
 * `enum`; patterns, formats and limits are for the check that comes after it.
 */
export class Coercion {
  #left = looks;

  constructor(private readonly root: SchemaNode) {}

  /** The value in the form of the root; undefined when there is none, or more than one. */
  whole({ value, isExact }: ReadJson): Fit | undefined {
    return this.#fit(this.root, { value, isExact: true }, isExact);
  }

  #fit(node: SchemaNode, given: Given, isExact: ReadJson["isExact"]): Fit | undefined {
    this.#left -= 1;
    if (this.#left < 0) return undefined;
    if (node.$ref !== undefined) {
      const target = this.#resolve(node.$ref);
      return target === undefined ? undefined : this.#fit(target, given, isExact);
    }
    if (node.anyOf !== undefined) return theOnly(node.anyOf.map((branch) => this.#fit(branch, given, isExact)));
    const types = new Set(declaredTypes(node));
    const inEnum = (fit: Fit | undefined): boolean => fit !== undefined && (node.enum?.includes(fit.value as string) ?? true);
    const asItIs = this.#asItIs(node, types, given.value, isExact);
    if (inEnum(asItIs)) return asItIs;
    return theOnly(this.#converted(node, types, given, isExact).filter(inEnum));
  }

  #asItIs(node: SchemaNode, types: ReadonlySet<string>, value: unknown, isExact: ReadJson["isExact"]): Fit | undefined {
    const type = jsonType(value);
    if (type === undefined || !(types.has(type) || (type === "integer" && types.has("number")))) return undefined;
    if (type === "array") return this.#array(node, value as readonly unknown[], isExact);
    return type === "object" ? this.#object(node, value as Readonly<Record<string, unknown>>, isExact) : { value, same: true };
  }

  #array({ items }: SchemaNode, values: readonly unknown[], isExact: ReadJson["isExact"]): Fit | undefined {
    if (items === undefined) return undefined;
    const fits: Fit[] = [];
    for (const [index, value] of values.entries()) {
      const fit = this.#fit(items, { value, isExact: isExact(values, String(index)) }, isExact);
      if (fit === undefined) return undefined;
      fits.push(fit);
    }
    return fits.every(({ same }) => same) ? { value: values, same: true } : { value: fits.map(({ value }) => value), same: false };
  }

  #object(
    { properties = {}, required }: SchemaNode,
    object: Readonly<Record<string, unknown>>,
    isExact: ReadJson["isExact"],
  ): Fit | undefined {
    const entries: [string, unknown][] = [];
    let same = true;
    for (const [name, value] of Object.entries(object)) {
      const node = Object.hasOwn(properties, name) ? properties[name] : undefined;
      const fit = node === undefined ? undefined : this.#fit(node, { value, isExact: isExact(object, name) }, isExact);
      if (fit === undefined) return undefined;
      same &&= fit.same;
      entries.push([name, fit.value]);
    }
    for (const name of required ?? []) {
      if (Object.hasOwn(object, name)) continue;
      const node = Object.hasOwn(properties, name) ? properties[name] : undefined;
      const takesNull = node !== undefined && this.#fit(node, { value: null, isExact: true }, isExact)?.same === true;
      if (!takesNull) return undefined;
      same = false;
      entries.push([name, null]);
    }
    return same ? { value: object, same } : { value: Object.fromEntries(entries), same };
  }

  /** Everything that the value could be meant as. */
  #converted(node: SchemaNode, types: ReadonlySet<string>, given: Given, isExact: ReadJson["isExact"]): readonly Fit[] {
    const { value } = given;
    const fits: (Fit | undefined)[] = [];
    if (typeof value === "string") {
      const plain = plainValue(value, types);
      if (plain !== undefined) fits.push({ value: plain, same: false });
      fits.push(this.#fromText(node, types, value));
    }
    // A literal such as 1.10 has lost its last digit already.
    if (typeof value === "number" && types.has("string") && given.isExact) fits.push({ value: String(value), same: false });
    // A text may stand for several values; a number or an object is one.
    if (types.has("array") && node.items !== undefined && (typeof value === "number" || jsonType(value) === "object")) {
      if (this.#fit(node.items, given, isExact)?.same === true) fits.push({ value: [value], same: false });
    }
    return fits.filter((fit) => fit !== undefined);
  }

  // An object or a list that was written as a text.
  #fromText(node: SchemaNode, types: ReadonlySet<string>, text: string): Fit | undefined {
    const type = /^\s*\{/.test(text) ? "object" : /^\s*\[/.test(text) ? "array" : undefined;
    const read = type !== undefined && types.has(type) ? readJson(text) : undefined;
    const fit = read === undefined ? undefined : this.#asItIs(node, types, read.value, read.isExact);
    return fit === undefined ? undefined : { value: fit.value, same: false };
  }

  #resolve(ref: string): SchemaNode | undefined {
    if (ref === "#") return this.root;
    const name = /^#\/\$defs\/(.+)$/.exec(ref)?.[1]?.replaceAll("~1", "/").replaceAll("~0", "~");
    return name !== undefined && Object.hasOwn(this.root.$defs ?? {}, name) ? this.root.$defs?.[name] : undefined;
  }
}

interface Given {
  readonly value: unknown;
  /** For a number: whether its literal is how it would be written again. */
  readonly isExact: boolean;
}

/** A number, a boolean or null that was written as a text, when writing it again gives that very text. */
function plainValue(text: string, types: ReadonlySet<string>): number | boolean | null | undefined {
  if (types.has("boolean") && (text === "true" || text === "false")) return text === "true";
  if (types.has("null") && text === "null") return null;
  if (!types.has("number") && !types.has("integer")) return undefined;
  const number = Number(text);
  if (String(number) !== text || !Number.isFinite(number)) return undefined;
  if (Number.isInteger(number) && !Number.isSafeInteger(number)) return undefined;
  return types.has("number") || Number.isInteger(number) ? number : undefined;
}

/** The one that needs no change, or the only one there is: what fits in two ways is not guessed. */
function theOnly(fits: readonly (Fit | undefined)[]): Fit | undefined {
  const found = fits.filter((fit) => fit !== undefined);
  const same = found.find((fit) => fit.same);
  if (same !== undefined) return same;
  const [first, ...others] = found;
  if (first === undefined || others.length === 0) return first;
  const text = canonicalJson(first.value);
  return others.every(({ value }) => canonicalJson(value) === text) ? first : undefined;
}
