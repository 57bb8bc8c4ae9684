import { ts } from "typescript-json-schema";
import { docText } from "../doc-comments.js";
import { exportNameOf, isExportedAsType } from "../exports.js";
import { hasModifier, isPublic } from "../modifiers.js";
import { badAncestor, libraryName } from "./ancestors.js";
import { orderProperties } from "./order.js";
import type { ObjectPlan, PlanNode, PropertyPlan } from "./plan.js";
import * as refuse from "./refusals.js";
import { type At, Unsupported } from "./unsupported.js";
import { lastName } from "./subject.js";
import { walkProperty } from "./walk-property.js";
import type { Walker } from "./walker.js";

/** Makes the plan of an object type: an interface, a class, a literal, a mapped type, an intersection of such. */
export function walkObject(walker: Walker, type: ts.Type, at: At, hint: ts.TypeNode | undefined): PlanNode {
  const { checker } = walker.project;
  const library = libraryName(type, walker.project);
  if (library === "Date") return { kind: "date" };
  if (library === "Function") throw new Unsupported(at, refuse.functionType);
  if (library !== undefined) throw new Unsupported(at, refuse.builtIn(library));
  if (type.symbol?.flags & ts.SymbolFlags.Enum) throw new Unsupported(at, refuse.enumObject(type.symbol.name));
  const ancestor = badAncestor(type, walker.project);
  if (ancestor !== undefined) throw new Unsupported(at, refuse.ancestor(walker.text(type), ancestor));
  if (type.getCallSignatures().length > 0 || type.getConstructSignatures().length > 0) throw new Unsupported(at, refuse.functionType);
  if (checker.getPropertyOfType(type, "~toolwright.context") !== undefined)
    throw new Unsupported(at, refuse.extendedContext(walker.text(type)));
  const [index] = checker.getIndexInfosOfType(type);
  if (index !== undefined)
    throw new Unsupported(
      { ...at, place: walker.placeOf(index.declaration, at) },
      refuse.indexSignature(walker.text(type), walker.text(index.keyType), walker.text(index.type)),
    );
  const declared = classOf(type);
  if (declared !== undefined && !ts.isClassDeclaration(declared)) throw new Unsupported(at, refuse.classExpression(walker.text(type)));
  const dtoClass = declared;
  if (dtoClass !== undefined) checkClass(walker, dtoClass, at);
  const create = (): ObjectPlan => ({
    kind: "object",
    name: walker.names.give(type, lastName(at.subject)),
    uses: 1,
    recursive: false,
    type,
    description: typeDescription(type),
    dtoClass,
    properties: [],
  });
  return walker.define(type, at, true, create, (plan) => {
    plan.properties = propertiesOf(walker, plan, at, hint);
    if (plan.properties.length === 0) throw new Unsupported(at, refuse.noProperties(walker.text(type)));
  });
}

function propertiesOf(walker: Walker, plan: ObjectPlan, at: At, hint: ts.TypeNode | undefined): readonly PropertyPlan[] {
  const errorsBefore = walker.project.errorCount;
  const properties = orderProperties(plan.type, hint, walker.project).flatMap((symbol) => {
    const property = walker.attempt(() => walkProperty(walker, symbol, plan, at));
    return property === undefined ? [] : [property];
  });
  // Something was said already about why there is none.
  const failed = walker.project.errorCount > errorsBefore;
  return properties.length === 0 && failed ? [placeholder(at)] : properties;
}

const placeholder = (at: At): PropertyPlan => ({
  name: "",
  node: { kind: "leaf", type: "null" },
  optional: false,
  description: undefined,
  rules: {},
  documented: { rules: {}, tags: {} },
  ...at,
});

/** The declaration of a class that instances are wanted of; undefined for everything else. */
function classOf(type: ts.Type): ts.ClassLikeDeclaration | undefined {
  const { symbol } = type;
  if (symbol === undefined || !(symbol.flags & ts.SymbolFlags.Class) || (!type.isClassOrInterface() && !isReference(type)))
    return undefined;
  return symbol.declarations?.find(ts.isClassLike);
}

const isReference = (type: ts.Type): boolean =>
  (type.flags & ts.TypeFlags.Object) !== 0 && ((type as ts.ObjectType).objectFlags & ts.ObjectFlags.Reference) !== 0;

function checkClass(walker: Walker, declaration: ts.ClassDeclaration, at: At): void {
  const name = declaration.name?.text ?? "(class without a name)";
  if (hasModifier(declaration, ts.SyntaxKind.AbstractKeyword)) throw new Unsupported(at, refuse.abstractClass(name));
  const place = { subject: at.subject, place: walker.placeOf(declaration.name, at) };
  const constructor = declaration.members.find(ts.isConstructorDeclaration);
  if (constructor !== undefined && !isPublic(constructor)) throw new Unsupported(place, refuse.hiddenConstructor(name));
  if (constructor?.parameters.some(isRequired)) {
    // In the author's own class that may be meant; in another package's, e.g. one for decimal numbers, it fails.
    if (!walker.project.isEditable(declaration.getSourceFile())) throw new Unsupported(place, refuse.foreignClass(name));
    walker.project.warn(walker.placeOf(declaration.name, at), at.subject, refuse.constructorParameters(name));
  }
  if (declaration.name !== undefined && exportNameOf(declaration, walker.project) !== undefined) return;
  const isType = declaration.name !== undefined && isExportedAsType(declaration, walker.project);
  throw new Unsupported(
    place,
    isType ? refuse.classAsType(name) : refuse.unexportedClass(name, walker.project.isEditable(declaration.getSourceFile())),
  );
}

const isRequired = (parameter: ts.ParameterDeclaration): boolean =>
  parameter.questionToken === undefined && parameter.initializer === undefined && parameter.dotDotDotToken === undefined;

function typeDescription(type: ts.Type): string | undefined {
  for (const declaration of [...(type.aliasSymbol?.declarations ?? []), ...(type.symbol?.declarations ?? [])]) {
    // `Pick` and the like have comments of their own, about themselves.
    if (declaration.getSourceFile().hasNoDefaultLib) continue;
    const text = docText(declaration);
    if (text !== undefined) return text;
  }
  return undefined;
}
