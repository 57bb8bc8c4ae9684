import { ts } from "typescript-json-schema";
import type { Literal } from "../rules/rules.js";
import { brandedPart, literalOf } from "./literal.js";
import type { LiteralsPlan } from "./plan.js";

/** One plan of literal types, in their order; a value that several have comes once. */
export function literalsPlan(types: readonly ts.Type[], checker: ts.TypeChecker): LiteralsPlan | undefined {
  const values: Literal[] = [];
  const names = new Map<Literal, string[]>();
  for (const type of types) {
    const value = literalOf(type);
    if (value === undefined) continue;
    if (!values.includes(value)) values.push(value);
    const known = names.get(value) ?? [];
    const found = memberNames(type, checker).filter((name) => !known.includes(name));
    if (found.length > 0) names.set(value, [...known, ...found]);
  }
  if (values.length === 0) return undefined;
  const ownReading = types.some((type) => brandedPart(type) !== undefined || isMerged(type)) ? (true as const) : undefined;
  return { kind: "literals", values, names, ownReading };
}

/** What the members of an enum are called that have the number of a type. Texts speak for themselves. */
function memberNames(type: ts.Type, checker: ts.TypeChecker): readonly string[] {
  const [member] = type.isNumberLiteral() && type.flags & ts.TypeFlags.EnumLiteral ? (type.symbol.declarations ?? []) : [];
  if (member === undefined || !ts.isEnumMember(member)) return [];
  return member.parent.members.filter((each) => checker.getConstantValue(each) === checker.getConstantValue(member)).map(nameOf);
}

const nameOf = ({ name }: ts.EnumMember): string => (ts.isIdentifier(name) || ts.isStringLiteralLike(name) ? name.text : name.getText());

/** A sentence for a property whose name is the number of an enum's member: `Record<Size, string>` has "0", for Small. */
export function keyWords(property: ts.Symbol, checker: ts.TypeChecker): string | undefined {
  // What a mapped type made it of, which the checker keeps for itself.
  const { links } = property as { links?: { nameType?: ts.Type } };
  const names = links?.nameType === undefined ? [] : memberNames(links.nameType, checker);
  return names.length === 0 ? undefined : `For ${names.join(" or ")}.`;
}

/** Of an enum that is declared in several parts typescript-json-schema reads the first. */
function isMerged({ flags, symbol }: ts.Type): boolean {
  const member = flags & ts.TypeFlags.EnumLiteral ? symbol.declarations?.[0] : undefined;
  const { symbol: owner } = (member?.parent ?? {}) as { symbol?: ts.Symbol };
  return (owner?.declarations?.length ?? 0) > 1;
}

/** So much a description tells of the members of one enum. */
const mostCharacters = 1000;

/** A sentence for the model that tells what numbers mean, e.g. "0 = Low, 1 = High."; undefined when no member has a name. */
export function memberWords({ values, names }: LiteralsPlan, allowed: (value: Literal) => boolean = () => true): string | undefined {
  const parts = values.flatMap((value) => {
    const known = names?.get(value);
    return known === undefined || !allowed(value) ? [] : [`${String(value)} = ${known.join(" or ")}`];
  });
  const all = parts.join(", ");
  if (all.length <= mostCharacters) return all === "" ? undefined : `${all}.`;
  return `${all.slice(0, all.lastIndexOf(", ", mostCharacters))}, and so on.`;
}
