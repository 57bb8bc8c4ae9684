import { ts } from "typescript-json-schema";
import type { Project } from "./project.js";

/**
 * Classes from the given one up through its bases, nearest first, as far as they are declared somewhere. The class that
 * a mixin function returns counts: `class A extends Named(Base)` has A, the class in `Named`, and Base.
 */
export function classChain(declaration: ts.ClassLikeDeclaration, project: Project): readonly ts.ClassLikeDeclaration[] {
  const chain: ts.ClassLikeDeclaration[] = [];
  const climb = (level: ts.ClassLikeDeclaration): void => {
    if (chain.includes(level)) return;
    chain.push(level);
    for (const base of basesOf(level, project)) climb(base);
  };
  climb(declaration);
  return chain;
}

/** What a class says it extends. */
export function heritageOf(declaration: ts.ClassLikeDeclaration): ts.ExpressionWithTypeArguments | undefined {
  return declaration.heritageClauses?.find((clause) => clause.token === ts.SyntaxKind.ExtendsKeyword)?.types[0];
}

/** The text of a base that the checker knows nothing of, anywhere up the chain: what it brings would be missing. */
export function unresolvedBase(declaration: ts.ClassLikeDeclaration, project: Project): string | undefined {
  return classChain(declaration, project)
    .map(heritageOf)
    .find((heritage) => heritage !== undefined && (project.checker.getTypeAtLocation(heritage).flags & ts.TypeFlags.Any) !== 0)
    ?.expression.getText();
}

function basesOf(declaration: ts.ClassLikeDeclaration, project: Project): readonly ts.ClassLikeDeclaration[] {
  const heritage = heritageOf(declaration);
  if (heritage === undefined) return [];
  const named = project.symbolOf(heritage.expression)?.declarations?.find(ts.isClassLike);
  if (named !== undefined) return [named];
  // A call: the type of its result is the class that the mixin makes and its base, in this order.
  const instance = project.checker.getTypeAtLocation(heritage);
  const parts = instance.isIntersection() ? instance.types : [instance];
  return parts.flatMap((part) => part.symbol?.declarations?.find(ts.isClassLike) ?? []);
}
