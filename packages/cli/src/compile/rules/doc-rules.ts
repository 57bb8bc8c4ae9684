import { ts } from "typescript-json-schema";
import { ConstantPattern } from "../constant.js";
import { Memo } from "../memo.js";
import { itemHint } from "../plan/order.js";
import type { At } from "../plan/unsupported.js";
import type { Project } from "../project.js";
import { mergeRules, noRules, type Rules } from "./rules.js";
import { safePattern } from "./safe-pattern.js";

/** The formats that OpenAI lists for strings. */
const formats = new Set(["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"]);

const numberTags = [
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
  ...["minLength", "maxLength", "minItems", "maxItems"],
] as const;
const textTags = ["pattern", "format"] as const;

/** What doc tags say of a value: the names of the tags, and what they restrict. */
export interface DocumentedRules {
  readonly rules: Rules;
  readonly tags: Readonly<Record<string, string | number | true>>;
  /** Of the items of an array. */
  readonly items?: DocumentedRules | undefined;
}

const none: DocumentedRules = { rules: noRules, tags: {} };

/** Named types within each other, and arrays within each other, beyond which nobody looks. */
const deepest = 8;

/**
 * Reads the restrictions in doc tags, such as `@minimum 1`: of a property, and of the named types that it is declared
 * with. Read from the declarations, since the checker gives two names of one type the same identity.
 */
export function documentedRules(
  property: ts.Symbol | undefined,
  hint: ts.TypeNode | undefined,
  { aliasSymbol }: ts.Type,
  at: At,
  project: Project,
): DocumentedRules {
  const named = namesIn(hint, project);
  const alias = hint === undefined && aliasSymbol !== undefined ? [aliasSymbol] : [];
  const own = [...(property === undefined ? [] : [property]), ...named.symbols, ...alias].map((symbol) => rulesOf(symbol, at, project));
  const items = named.items === undefined ? undefined : itemRules(named.items, at, project, 0);
  const all = own.filter((each) => each !== none);
  if (all.length === 0 && items === undefined) return none;
  return {
    rules: mergeRules(all.map(({ rules }) => rules).reduce(mergeRules, noRules), items === undefined ? noRules : { items: items.rules }),
    tags: Object.assign({}, ...all.map(({ tags }) => tags).toReversed()) as DocumentedRules["tags"],
    items,
  };
}

function itemRules(node: ts.TypeNode, at: At, project: Project, depth: number): DocumentedRules | undefined {
  const { symbols, items } = namesIn(node, project);
  const below = items === undefined || depth > deepest ? undefined : itemRules(items, at, project, depth + 1);
  const all = symbols.map((symbol) => rulesOf(symbol, at, project)).filter((each) => each !== none);
  if (all.length === 0 && below === undefined) return undefined;
  const rules = all.map((each) => each.rules).reduce(mergeRules, noRules);
  return {
    rules: below === undefined ? rules : { ...rules, items: below.rules },
    tags: Object.assign({}, ...all.map(({ tags }) => tags)) as DocumentedRules["tags"],
    items: below,
  };
}

/** The named types that a type node stands for, and the node of its items when it is an array. */
function namesIn(
  hint: ts.TypeNode | undefined,
  project: Project,
): { readonly symbols: readonly ts.Symbol[]; readonly items: ts.TypeNode | undefined } {
  const symbols: ts.Symbol[] = [];
  let node = hint;
  for (let hops = 0; node !== undefined && hops < deepest; hops += 1) {
    const plain = unwrapped(node);
    const symbol: ts.Symbol | undefined =
      plain !== undefined && ts.isTypeReferenceNode(plain) ? project.symbolOf(plain.typeName) : undefined;
    const declaration = symbol?.declarations?.find(ts.isTypeAliasDeclaration);
    if (symbol === undefined || declaration === undefined) return { symbols, items: itemHint(plain, project) };
    symbols.push(symbol);
    // What an alias does with its parameters is not followed.
    node = declaration.typeParameters === undefined ? declaration.type : undefined;
  }
  return { symbols, items: undefined };
}

/** Without parentheses, `readonly`, and `| null`. Of a union of other things no name speaks for the whole. */
function unwrapped(node: ts.TypeNode): ts.TypeNode | undefined {
  if (ts.isParenthesizedTypeNode(node)) return unwrapped(node.type);
  if (ts.isTypeOperatorNode(node) && node.operator === ts.SyntaxKind.ReadonlyKeyword) return unwrapped(node.type);
  if (!ts.isUnionTypeNode(node)) return node;
  const rest = node.types.filter((part) => !isNothing(part));
  const [only] = rest;
  return rest.length === 1 && only !== undefined ? unwrapped(only) : undefined;
}

const isNothing = (node: ts.TypeNode): boolean =>
  node.kind === ts.SyntaxKind.UndefinedKeyword || (ts.isLiteralTypeNode(node) && node.literal.kind === ts.SyntaxKind.NullKeyword);

const memo = new Memo<ts.Symbol, DocumentedRules>();

function rulesOf(symbol: ts.Symbol, at: At, project: Project): DocumentedRules {
  const known = memo.of(project);
  const before = known.get(symbol);
  if (before !== undefined) return before;
  const tags: Record<string, string | number | true> = {};
  for (const { name, text } of symbol.getJsDocTags()) {
    const words = (text ?? [])
      .map((part) => part.text)
      .join("")
      .trim();
    if (name === "uniqueItems" && words !== "false") tags[name] = true;
    if (textTags.some((tag) => tag === name) && words !== "") tags[name] = words;
    if (!numberTags.some((tag) => tag === name)) continue;
    const value = words === "" ? Number.NaN : Number(words);
    const problem = numberProblem(name, value);
    if (problem === undefined) tags[name] = value;
    else
      project.warn(at.place, at.subject, {
        code: "BUILD_WRONG_TAG",
        reason: `The doc tag @${name} has "${words}", which is ${problem}.`,
        fix: `Write it like \`@${name} 1\`.`,
      });
  }
  const found = Object.keys(tags).length === 0 ? none : { tags, rules: toRules(tags) };
  known.set(symbol, found);
  return found;
}

/** Why a number cannot be what its tag says; undefined when it can. */
function numberProblem(tag: string, value: number): string | undefined {
  if (!Number.isFinite(value)) return "no number";
  if (tag === "multipleOf") return value > 0 ? undefined : "not above 0";
  const isCount = /^(min|max)(Length|Items)$/.test(tag);
  return isCount && !(Number.isSafeInteger(value) && value >= 0) ? "no count" : undefined;
}

function toRules(tags: DocumentedRules["tags"]): Rules {
  const words: string[] = [];
  const text = (name: string): string | undefined => (typeof tags[name] === "string" ? tags[name] : undefined);
  const [pattern, format] = [text("pattern"), text("format")];
  const safe = pattern === undefined ? undefined : safePattern(new ConstantPattern(pattern, ""));
  if (pattern !== undefined && safe === undefined) words.push(`Matches the regular expression /${pattern}/.`);
  const listed = format !== undefined && formats.has(format) ? format : undefined;
  if (format !== undefined && listed === undefined) words.push(`Format: ${format}.`);
  if (tags["minLength"] !== undefined) words.push(`At least ${tags["minLength"]} characters.`);
  if (tags["maxLength"] !== undefined) words.push(`At most ${tags["maxLength"]} characters.`);
  if (tags["uniqueItems"] !== undefined) words.push("No two items are equal.");
  // Only the tags that are there, each a finite number.
  const numbers = Object.fromEntries(numberTags.flatMap((name) => (typeof tags[name] === "number" ? [[name, tags[name]]] : []))) as Rules;
  return { ...numbers, pattern: safe, format: listed, words };
}
