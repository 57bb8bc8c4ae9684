import { ts } from "typescript-json-schema";

/** Gives types names for `$defs`: short, free of paths, `[A-Za-z0-9_-]`, unique within one tool. */
export class DefinitionNames {
  readonly #taken = new Set<string>();

  /** @param fallback - for a type without a name of its own, e.g. `filter`. */
  give(type: ts.Type, fallback: string): string {
    const base = sanitise(nameOf(type, 0) ?? capitalised(fallback));
    let name = base;
    for (let suffix = 2; this.#taken.has(name); suffix += 1) name = `${base}_${suffix}`;
    this.#taken.add(name);
    return name;
  }
}

const longest = 60;

function sanitise(text: string): string {
  const plain = text.replaceAll(/[^A-Za-z0-9_-]+/g, "_").replaceAll(/^_+|_+$/g, "");
  return plain === "" ? "Value" : plain.slice(0, longest);
}

/** `Box<string>` is `Box_string`. Members of a union as an argument are sorted, since the checker's order is not fixed. */
function nameOf(type: ts.Type, depth: number): string | undefined {
  const symbol = type.aliasSymbol ?? type.symbol;
  const own = symbol === undefined || symbol.name.startsWith("__") ? undefined : symbol.name;
  if (own === undefined || depth > 2) return own;
  const parameters = type.aliasSymbol === undefined ? typeArguments(type) : (type.aliasTypeArguments ?? []);
  return [own, ...parameters.map((parameter) => argumentName(parameter, depth + 1))].join("_");
}

function typeArguments(type: ts.Type): readonly ts.Type[] {
  const reference = type as ts.TypeReference;
  const isReference = type.flags & ts.TypeFlags.Object && reference.objectFlags & ts.ObjectFlags.Reference;
  const own = isReference ? (reference.target.typeParameters?.length ?? 0) : 0;
  // The last argument of a class's or interface's reference may be its `this`.
  return own === 0 ? [] : (reference.typeArguments ?? []).slice(0, own);
}

function argumentName(type: ts.Type, depth: number): string {
  const named = nameOf(type, depth);
  if (named !== undefined) return named;
  if (type.isUnion())
    return type.types
      .map((member) => argumentName(member, depth + 1))
      .sort()
      .join("_");
  if (type.isStringLiteral() || type.isNumberLiteral()) return String(type.value);
  return (type as { intrinsicName?: string }).intrinsicName ?? "Value";
}

function capitalised(text: string): string {
  return text === "" ? "Value" : `${text[0]?.toUpperCase() ?? ""}${text.slice(1)}`;
}
