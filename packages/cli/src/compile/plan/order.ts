import { ts } from "typescript-json-schema";
import { compareText } from "../../compare.js";
import type { Project } from "../project.js";

/**
 * The checker numbers types as it meets them, so a union's members come in an order that depends on which file was read
 * first. These functions find the order in which the author wrote them, or one that does not depend on anything.
 */

/** The type node behind parentheses, `readonly`, and names of aliases. */
export function resolveHint(hint: ts.TypeNode | undefined, project: Project): ts.TypeNode | undefined {
  let node = hint;
  for (let hops = 0; node !== undefined && hops < 32; hops += 1) {
    if (ts.isParenthesizedTypeNode(node)) node = node.type;
    else if (ts.isTypeOperatorNode(node) && node.operator === ts.SyntaxKind.ReadonlyKeyword) node = node.type;
    else {
      const aliased: ts.TypeNode | undefined = ts.isTypeReferenceNode(node) ? aliasedNode(node, project) : undefined;
      if (aliased === undefined) return node;
      node = aliased;
    }
  }
  return node;
}

function aliasedNode(node: ts.TypeReferenceNode, project: Project): ts.TypeNode | undefined {
  const declaration = project.symbolOf(node.typeName)?.declarations?.find(ts.isTypeAliasDeclaration);
  if (declaration === undefined) return undefined;
  // `Exclude<Unit, "a">` keeps the order of Unit; what an alias of the author's does with its parameters is not followed.
  if (node.typeArguments === undefined) return declaration.type;
  return ["Exclude", "Extract", "NonNullable"].includes(declaration.name.text) ? node.typeArguments[0] : undefined;
}

/** The node of an array's items. */
export function itemHint(hint: ts.TypeNode | undefined, project: Project): ts.TypeNode | undefined {
  const node = resolveHint(hint, project);
  if (node === undefined) return undefined;
  if (ts.isArrayTypeNode(node)) return node.elementType;
  if (ts.isTypeReferenceNode(node) && /^(Readonly)?Array$/.test(node.typeName.getText())) return node.typeArguments?.[0];
  // In a union such as `Unit[] | null` the only array is meant.
  if (ts.isUnionTypeNode(node)) {
    const arrays = node.types.map((type) => itemHint(type, project)).filter((type) => type !== undefined);
    return arrays.length === 1 ? arrays[0] : undefined;
  }
  return undefined;
}

/** Ranks members of a union: as written if every one is found there, otherwise by what they are. */
export function orderMembers(members: readonly ts.Type[], hint: ts.TypeNode | undefined, project: Project): readonly ts.Type[] {
  const written = hint === undefined ? [] : writtenMembers(hint, project, 0).map(keyOf);
  const ranked = members.map((type) => ({ type, rank: written.indexOf(keyOf(type)) }));
  if (written.length > 0 && ranked.every(({ rank }) => rank !== -1))
    return ranked.sort((one, other) => one.rank - other.rank).map(({ type }) => type);
  return [...members].sort((one, other) => compareTypes(one, other, project));
}

/** Literal types come in two kinds, fresh and regular, that are one for us. */
function keyOf(type: ts.Type): unknown {
  if (type.flags & ts.TypeFlags.EnumLiteral) return type.symbol;
  if (type.isStringLiteral() || type.isNumberLiteral()) return `${typeof type.value}:${type.value}`;
  if (type.flags & ts.TypeFlags.BooleanLiteral) return (type as { intrinsicName?: string }).intrinsicName;
  return type;
}

function writtenMembers(hint: ts.TypeNode, project: Project, depth: number): readonly ts.Type[] {
  const node = resolveHint(hint, project);
  if (node === undefined || depth > 16) return [];
  if (ts.isUnionTypeNode(node)) return node.types.flatMap((type) => writtenMembers(type, project, depth + 1));
  const { checker } = project;
  const type = checker.getTypeFromTypeNode(node);
  if (ts.isIndexedAccessTypeNode(node)) {
    const owner = checker.getTypeFromTypeNode(node.objectType);
    return checker.isTupleType(owner) ? checker.getTypeArguments(owner as ts.TypeReference) : [];
  }
  if (ts.isTypeOperatorNode(node) && node.operator === ts.SyntaxKind.KeyOfKeyword) {
    return checker
      .getPropertiesOfType(checker.getTypeFromTypeNode(node.type))
      .map((property) => checker.getStringLiteralType(property.name));
  }
  if (type.isUnion()) return [...type.types].sort((one, other) => compareTypes(one, other, project));
  return [type];
}

function compareTypes(one: ts.Type, other: ts.Type, project: Project): number {
  const [first, second] = [canonicalKey(one, project), canonicalKey(other, project)];
  for (const [index, part] of first.entries()) {
    const counterpart = second[index];
    const order =
      typeof part === "number" && typeof counterpart === "number" ? part - counterpart : compareText(String(part), String(counterpart));
    if (order !== 0) return order;
  }
  return 0;
}

/** Enum members by declaration, numbers by value, texts by code unit, objects by name and place. */
function canonicalKey(type: ts.Type, project: Project): readonly (string | number)[] {
  const declaration = type.symbol?.declarations?.[0] ?? type.aliasSymbol?.declarations?.[0];
  if (type.flags & ts.TypeFlags.EnumLiteral && declaration !== undefined)
    return ["1", project.relativePath(declaration.getSourceFile().fileName), declaration.pos];
  if (type.isNumberLiteral()) return ["2", type.value];
  if (type.isStringLiteral()) return ["3", type.value];
  const text = project.checker.typeToString(
    type,
    undefined,
    ts.TypeFormatFlags.NoTruncation | ts.TypeFormatFlags.UseAliasDefinedOutsideCurrentScope,
  );
  return ["4", text, declaration === undefined ? "" : project.relativePath(declaration.getSourceFile().fileName), declaration?.pos ?? 0];
}

/**
 * The properties of a type as they were declared. Those of a mapped type (`Pick<Order, "a" | "b">`) come in the order of
 * the key's union, which is not fixed; they are put back into the order of their declarations.
 */
export function orderProperties(type: ts.Type, hint: ts.TypeNode | undefined, project: Project): readonly ts.Symbol[] {
  const properties = project.checker.getPropertiesOfType(type);
  const isMapped = type.flags & ts.TypeFlags.Object && (type as ts.ObjectType).objectFlags & ts.ObjectFlags.Mapped;
  if (!isMapped) return properties;
  const declarations = properties.map((property) => property.declarations?.[0]);
  if (declarations.every((declaration) => declaration === undefined)) {
    const order = recordKeys(type, hint, project);
    return [...properties].sort((one, other) => order.indexOf(one.name) - order.indexOf(other.name) || compareText(one.name, other.name));
  }
  const placeOf = (property: ts.Symbol): readonly [string, number] => {
    const declaration = property.declarations?.[0];
    return declaration === undefined ? ["", 0] : [project.relativePath(declaration.getSourceFile().fileName), declaration.pos];
  };
  return [...properties].sort((one, other) => {
    const [first, second] = [placeOf(one), placeOf(other)];
    return compareText(first[0], second[0]) || first[1] - second[1] || compareText(one.name, other.name);
  });
}

/** The keys of `Record<"b" | "a", T>` as written. */
function recordKeys(type: ts.Type, hint: ts.TypeNode | undefined, project: Project): readonly string[] {
  const [keys] = type.aliasTypeArguments ?? [];
  if (keys === undefined || !keys.isUnion()) return [];
  const node = resolveHint(hint, project);
  const written = node !== undefined && ts.isTypeReferenceNode(node) ? node.typeArguments?.[0] : undefined;
  const aliased = keys.aliasSymbol?.declarations?.find(ts.isTypeAliasDeclaration)?.type;
  return orderMembers(keys.types, written ?? aliased, project).map((key) => (key.isStringLiteral() ? key.value : ""));
}
