import { ts } from "typescript-json-schema";
import type { Project } from "../project.js";
import { declaredInJavaScript } from "../javascript.js";
import { guardDocTags } from "./doc-tags.js";
import { type At, Unsupported } from "./unsupported.js";
import { DefinitionNames } from "./names.js";
import { walkObject } from "./walk-object.js";
import { walkIntersection } from "./walk-intersection.js";
import { walkUnion } from "./walk-union.js";
import { itemHint, resolveHint } from "./order.js";
import { isEndless } from "./literal.js";
import { literalsPlan } from "./literals.js";
import { type DefinablePlan, nullLeaf, type PlanNode } from "./plan.js";
import * as refuse from "./refusals.js";
import type { MetUnion, WalkedValue, Walker } from "./walker.js";

/** More instances of one generic type within each other than a schema may have levels. */
const deepestGeneric = 10;
const deepestArray = 20;

/**
 * Walks the types of one tool's arguments and makes their plans. The first thing of a value that no strict schema can
 * say is thrown as {@link Unsupported}; objects and unions catch it for each of their parts, so that all are reported.
 */
export class TypeWalker implements Walker {
  readonly names = new DefinitionNames();
  readonly unions: MetUnion[] = [];
  readonly #known = new Map<ts.Type, DefinablePlan>();
  /** Types whose plans are being made, outermost first, with where each began. */
  readonly #open = new Map<ts.Type, At>();

  constructor(readonly project: Project) {}

  value(type: ts.Type, at: At, hint: ts.TypeNode | undefined): WalkedValue {
    const members = type.isUnion() && !(type.flags & ts.TypeFlags.Boolean) ? type.types : undefined;
    const allowsUndefined = members?.some((member) => member.flags & ts.TypeFlags.Undefined) ?? false;
    if (!allowsUndefined || members === undefined) return { node: this.type(type, at, hint), allowsUndefined };
    const rest = members.filter((member) => !(member.flags & ts.TypeFlags.Undefined));
    return { node: walkUnion(this, type, rest, at, hint), allowsUndefined };
  }

  type(given: ts.Type, at: At, hint: ts.TypeNode | undefined): PlanNode {
    const type = withoutReadonly(given);
    this.project.reach(type.aliasSymbol);
    this.project.reach(type.symbol);
    this.#checkParts(hint, at);
    this.#checkDocTags(type, at);
    const { flags } = type;
    if (flags & ts.TypeFlags.Any) throw new Unsupported(at, this.#anyText(type, at, hint));
    if (flags & ts.TypeFlags.String) return { kind: "leaf", type: "string" };
    if (flags & ts.TypeFlags.Number) return { kind: "leaf", type: "number" };
    if (flags & ts.TypeFlags.Boolean) return { kind: "leaf", type: "boolean" };
    if (flags & ts.TypeFlags.Null) return nullLeaf;
    if (isEndless(type)) throw new Unsupported(at, refuse.endlessNumber(this.text(type)));
    const literals = type.isUnion() ? undefined : literalsPlan([type], this.project.checker);
    if (literals !== undefined) return literals;
    if (flags & ts.TypeFlags.TemplateLiteral) return this.#template(type as ts.TemplateLiteralType, at);
    const refusal = this.#refusalByFlags(type);
    if (refusal !== undefined) throw new Unsupported(at, refusal);
    if (type.isUnion()) return walkUnion(this, type, type.types, at, hint);
    if (type.isIntersection()) return walkIntersection(this, type, at, hint);
    if (this.project.checker.isArrayType(type)) return this.#array(type, at, hint);
    if (this.project.checker.isTupleType(type)) return this.#tuple(type as ts.TupleTypeReference, at);
    return walkObject(this, type, at, hint);
  }

  define<Plan extends DefinablePlan>(type: ts.Type, at: At, reuse: boolean, create: () => Plan, fill: (plan: Plan) => void): Plan {
    const known = this.#known.get(type);
    if (known !== undefined) {
      known.uses += 1;
      if (this.#open.has(type)) known.recursive = true;
      // One type always makes one kind of plan.
      return known as Plan;
    }
    const begin = this.#endlessFrom(type);
    if (begin !== undefined) throw new Unsupported(begin, refuse.endless);
    const plan = create();
    this.#known.set(type, plan);
    this.#open.set(type, at);
    try {
      fill(plan);
    } finally {
      this.#open.delete(type);
      if (!reuse && !plan.recursive) this.#known.delete(type);
    }
    return plan;
  }

  attempt<Result>(part: () => Result): Result | undefined {
    try {
      return part();
    } catch (error) {
      if (!(error instanceof Unsupported)) throw error;
      this.project.error(error.at.place, error.at.subject, error.text);
      return undefined;
    }
  }

  text(type: ts.Type): string {
    const flags = ts.TypeFormatFlags.NoTruncation | ts.TypeFormatFlags.UseAliasDefinedOutsideCurrentScope;
    const text = this.project.checker.typeToString(type, undefined, flags).replaceAll(/import\("[^"]*"(?:, \{[^}]*\})?\)\./g, "");
    return text.length > 120 ? `${text.slice(0, 117)}…` : text;
  }

  /** Where a type began that gives itself ever new type arguments on the way down. */
  #endlessFrom({ symbol }: ts.Type): At | undefined {
    const same = [...this.#open].filter(([open]) => symbol !== undefined && open.symbol === symbol && !symbol.name.startsWith("__"));
    const limit = symbol?.name === "Array" ? deepestArray : deepestGeneric;
    return same.length > limit ? same[0]?.[1] : undefined;
  }

  #array(type: ts.Type, at: At, hint: ts.TypeNode | undefined): PlanNode {
    const [item] = this.project.checker.getTypeArguments(type as ts.TypeReference);
    if (item === undefined) throw new Unsupported(at, refuse.anyType(this.text(type)));
    const node = itemHint(hint, this.project);
    const create = () => ({
      kind: "array" as const,
      name: this.names.give(type, "items"),
      uses: 1,
      recursive: false,
      items: nullLeaf as PlanNode,
      length: undefined,
    });
    return this.define(type, at, false, create, (plan) => {
      plan.items = this.type(item, { subject: `${at.subject}[]`, place: this.placeOf(node, at) }, node);
    });
  }

  #tuple(type: ts.TupleTypeReference, at: At): PlanNode {
    const { target } = type;
    const items = this.project.checker.getTypeArguments(type);
    if (target.elementFlags.some((flag) => flag !== ts.ElementFlags.Required))
      throw new Unsupported(at, refuse.tuple(this.text(type), "rest"));
    const [first, ...rest] = items;
    if (first === undefined) throw new Unsupported(at, refuse.tuple(this.text(type), "empty"));
    if (rest.some((item) => item !== first)) throw new Unsupported(at, refuse.tuple(this.text(type), "mixed"));
    const create = () => ({
      kind: "array" as const,
      name: this.names.give(type, "tuple"),
      uses: 1,
      recursive: false,
      items: nullLeaf as PlanNode,
      length: items.length,
    });
    return this.define(type, at, false, create, (plan) => {
      plan.items = this.type(first, { subject: `${at.subject}[]`, place: at.place }, undefined);
    });
  }

  #template(type: ts.TemplateLiteralType, at: At): PlanNode {
    if (type.types.some((part) => !(part.flags & ts.TypeFlags.String))) throw new Unsupported(at, refuse.numberTemplate(this.text(type)));
    const pattern = `^${type.texts.map((text) => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&")).join(String.raw`[\s\S]*`)}$`;
    return { kind: "leaf", type: "string", pattern, ownReading: true };
  }

  placeOf(node: ts.Node | undefined, at: At): ts.Node {
    return node !== undefined && this.project.isEditable(node.getSourceFile()) ? node : at.place;
  }

  /** A conditional type is both of its branches when what it asks about cannot be resolved, and nothing shows of that. */
  #checkParts(hint: ts.TypeNode | undefined, at: At): void {
    const node = hint === undefined ? undefined : resolveHint(hint, this.project);
    if (node === undefined) return;
    const written = ts.isConditionalTypeNode(node)
      ? [node.checkType, node.extendsType]
      : ts.isTypeReferenceNode(node)
        ? (node.typeArguments ?? [])
        : [];
    const gone = written.find((part) => isUnresolved(this.project.checker.getTypeFromTypeNode(part)));
    if (gone !== undefined) throw new Unsupported({ ...at, place: this.placeOf(gone, at) }, refuse.unresolved(gone.getText()));
  }

  #checkDocTags(type: ts.Type, at: At): void {
    for (const symbol of [type.aliasSymbol, type.symbol]) {
      const problem = symbol === undefined ? undefined : guardDocTags(symbol);
      if (problem !== undefined) throw new Unsupported({ subject: at.subject, place: this.placeOf(problem.node, at) }, problem.text);
    }
  }

  #anyText(type: ts.Type, at: At, hint: ts.TypeNode | undefined): ReturnType<typeof refuse.anyType> {
    if (isUnresolved(type)) {
      const script = hint !== undefined && ts.isTypeReferenceNode(hint) ? declaredInJavaScript(hint.typeName, this.project) : undefined;
      return script ?? refuse.unresolved(hint?.getText() ?? at.place.getText());
    }
    const { place } = at;
    const isBare = (ts.isParameter(place) || ts.isPropertySignature(place) || ts.isPropertyDeclaration(place)) && place.type === undefined;
    return isBare ? refuse.implicitAny : refuse.anyType("any");
  }

  #refusalByFlags(type: ts.Type): ReturnType<typeof refuse.anyType> | undefined {
    const { flags } = type;
    if (flags & ts.TypeFlags.Unknown) return refuse.anyType("unknown");
    if (flags & ts.TypeFlags.NonPrimitive) return refuse.openObject("object");
    if (flags & ts.TypeFlags.ESSymbolLike) return refuse.scalar("symbol");
    if (flags & ts.TypeFlags.BigIntLike) return refuse.scalar("bigint");
    if (flags & ts.TypeFlags.Never) return refuse.scalar("never");
    if (flags & ts.TypeFlags.Void) return refuse.scalar("void");
    if (flags & ts.TypeFlags.Undefined) return refuse.scalar("undefined");
    if (flags & ts.TypeFlags.StringMapping) return refuse.stringMapping(this.text(type));
    // A union of enum members is looked into; what is left of an enum has a value that is not known.
    if (flags & ts.TypeFlags.EnumLike && !type.isUnion()) return refuse.computedEnum(this.text(type));
    if (flags & (ts.TypeFlags.Instantiable | ts.TypeFlags.Substitution)) return refuse.unresolvedGeneric(this.text(type));
    return undefined;
  }
}

/** By the checker's name for what it could not resolve. */
const isUnresolved = (type: ts.Type): boolean =>
  (type.flags & ts.TypeFlags.Any) !== 0 && (type as { intrinsicName?: string }).intrinsicName === "error";

/** `Readonly<T>` and the usual `Mutable<T>` say nothing about JSON, and typescript-json-schema looks through both. */
function withoutReadonly(type: ts.Type): ts.Type {
  let current = type;
  for (;;) {
    const { aliasSymbol, aliasTypeArguments } = current;
    const [inner] = aliasTypeArguments ?? [];
    if (inner === undefined || (aliasSymbol?.name !== "Readonly" && aliasSymbol?.name !== "Mutable")) return current;
    current = inner;
  }
}
