import { ts } from "typescript-json-schema";
import { docText, hasLostTags } from "../doc-comments.js";
import { warnOfEarlyTypes } from "../early-types.js";
import { isPublic } from "../modifiers.js";
import { documentedRules } from "../rules/doc-rules.js";
import { readPropertyRules } from "../rules/read.js";
import { mergeRules, noRules } from "../rules/rules.js";
import { guardDocTags } from "./doc-tags.js";
import { keyWords } from "./literals.js";
import type { ObjectPlan, PlanNode, PropertyPlan } from "./plan.js";
import * as refuse from "./refusals.js";
import { type At, Unsupported } from "./unsupported.js";
import type { Walker } from "./walker.js";

/**
 * Makes the plan of one property; undefined for what is no public, writable data of the object: private and protected
 * members, `#names`, methods and accessors of classes, and members that can only be undefined.
 */
export function walkProperty(walker: Walker, symbol: ts.Symbol, owner: ObjectPlan, at: At): PropertyPlan | undefined {
  const { checker } = walker.project;
  const declaration = symbol.valueDeclaration ?? symbol.declarations?.[0];
  const hint = typeNodeOf(declaration);
  // Of a base, which may be in another file.
  walker.project.reach(symbol);
  if (declaration !== undefined && hasLostTags(declaration))
    walker.project.warn(walker.placeOf(declaration, at), `${at.subject}.${symbol.name}`, refuse.lostTags);
  const own: At = { subject: `${at.subject}.${symbol.name}`, place: walker.placeOf(hint ?? nameOf(declaration), at) };
  // Also for members that are left out: typescript-json-schema reads their comments all the same.
  const tags = guardDocTags(symbol);
  if (tags !== undefined) throw new Unsupported({ subject: own.subject, place: walker.placeOf(nameOf(declaration), at) }, tags.text);
  if (symbol.escapedName.toString().startsWith("__#")) return undefined;
  if (declaration !== undefined && isLeftOut(declaration)) {
    if (owner.dtoClass === undefined) checkLost(symbol, declaration, { ...own, place: at.place });
    return undefined;
  }
  if (symbol.name === "__proto__") throw new Unsupported(own, refuse.protoName);
  if (isSymbolName(symbol)) throw new Unsupported({ ...own, subject: `${at.subject}[symbol]` }, refuse.symbolName);
  if (declaration !== undefined && owner.dtoClass !== undefined) warnOfEarlyTypes(declaration, own.subject, walker.project);
  if (isDeclaredTwice(symbol, walker)) throw new Unsupported(own, refuse.declaredTwice(symbol.name));
  const type = checker.getTypeOfSymbol(symbol);
  const isOptional = (symbol.flags & ts.SymbolFlags.Optional) !== 0;
  if (isOptional && type.flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Never)) return undefined;
  // Left out by the model, it would be there all the same: inherited.
  if (isOptional && symbol.name in Object.prototype) throw new Unsupported(own, refuse.inheritedName(symbol.name));
  const { node, allowsUndefined } = walker.value(type, own, hint);
  const initializer = owner.dtoClass === undefined ? undefined : initializerOf(declaration);
  const hasDefault = initializer !== undefined && !isFixed(node);
  const nullable = acceptsNull(node);
  const optional = isOptional || allowsUndefined || hasDefault;
  const documented = documentedRules(symbol, hint, type, own, walker.project);
  const key = keyWords(symbol, checker);
  const decorated = readPropertyRules(symbol, {
    project: walker.project,
    name: symbol.name,
    at: own,
    node,
    optional,
    nullable,
    owner: owner.dtoClass,
    initializer: hasDefault ? initializer : undefined,
  });
  return {
    name: symbol.name,
    node,
    optional: optional && !nullable,
    description: declaration === undefined ? undefined : docText(declaration),
    rules: mergeRules(mergeRules(documented.rules, decorated), key === undefined ? noRules : { words: [key] }),
    documented,
    ...own,
  };
}

/** Declarations of one type that are put together, of which the checker takes the first type. Parts of an intersection are compared elsewhere. */
function isDeclaredTwice({ declarations = [], flags }: ts.Symbol, { project: { checker } }: Walker): boolean {
  if (declarations.length < 2 || flags & ts.SymbolFlags.Transient) return false;
  const nodes = declarations.map(typeNodeOf).filter((node) => node !== undefined);
  const [first, ...rest] = nodes.map((node) => checker.getTypeFromTypeNode(node));
  return rest.some((type) => type !== first);
}

const nameOf = (declaration: ts.Declaration | undefined): ts.Node | undefined =>
  declaration === undefined ? undefined : (ts.getNameOfDeclaration(declaration) ?? declaration);

function typeNodeOf(declaration: ts.Declaration | undefined): ts.TypeNode | undefined {
  if (declaration === undefined) return undefined;
  const typed = ts.isPropertySignature(declaration) || ts.isPropertyDeclaration(declaration) || ts.isParameter(declaration);
  return typed ? declaration.type : undefined;
}

function isLeftOut(declaration: ts.Declaration): boolean {
  if (!isPublic(declaration)) return true;
  if (!ts.isClassLike(declaration.parent)) return false;
  if (ts.isMethodDeclaration(declaration) || ts.isAccessor(declaration)) return true;
  // A method in the form of a property.
  const initializer = initializerOf(declaration);
  return initializer !== undefined && (ts.isArrowFunction(initializer) || ts.isFunctionExpression(initializer));
}

/** An instance has its methods and accessors; an object that is none would lack what its type promises. */
function checkLost(symbol: ts.Symbol, declaration: ts.Declaration, at: At): void {
  if (!isPublic(declaration) || symbol.flags & ts.SymbolFlags.Optional) return;
  if (isSymbolName(symbol)) throw new Unsupported(at, refuse.symbolName);
  const { parent } = declaration;
  const owner = (ts.isClassLike(parent) ? parent.name?.text : undefined) ?? "its class";
  throw new Unsupported(at, refuse.lostMember(symbol.name, owner));
}

const isSymbolName = ({ name }: ts.Symbol): boolean => name.startsWith("__@");

function initializerOf(declaration: ts.Declaration | undefined): ts.Expression | undefined {
  if (declaration === undefined) return undefined;
  return ts.isPropertyDeclaration(declaration) || ts.isParameter(declaration) ? declaration.initializer : undefined;
}

/** `kind = "circle" as const` can have no other value, so there is nothing to leave to a default. */
const isFixed = (node: PlanNode): boolean => node.kind === "literals" && node.values.length === 1;

function acceptsNull(node: PlanNode): boolean {
  return (
    (node.kind === "leaf" && node.type === "null") || (node.kind === "union" && node.members.some((member) => acceptsNull(member.node)))
  );
}
