import { ts } from "typescript-json-schema";
import { Memo } from "../memo.js";
import type { Project } from "../project.js";

/** What a type extends, directly or through others, as far as it cannot be data or is not known. */
export type BadAncestor = { readonly unresolved: string } | { readonly library: string };

const memo = new Memo<ts.Symbol, BadAncestor | "none">();

/** The first base of a class or interface that the checker cannot resolve, or that is an object of the run time. */
export function badAncestor({ symbol }: ts.Type, project: Project): BadAncestor | undefined {
  if (symbol === undefined || !(symbol.flags & (ts.SymbolFlags.Class | ts.SymbolFlags.Interface))) return undefined;
  const known = memo.of(project);
  const before = known.get(symbol);
  if (before !== undefined) return before === "none" ? undefined : before;
  // Until it is known better; a type that extends itself ends here.
  known.set(symbol, "none");
  const found = firstBad(symbol, project);
  if (found !== undefined) known.set(symbol, found);
  return found;
}

function firstBad(symbol: ts.Symbol, project: Project): BadAncestor | undefined {
  for (const declaration of symbol.declarations ?? []) {
    if (!ts.isClassLike(declaration) && !ts.isInterfaceDeclaration(declaration)) continue;
    const clause = declaration.heritageClauses?.find(({ token }) => token === ts.SyntaxKind.ExtendsKeyword);
    for (const heritage of clause?.types ?? []) {
      const base = project.checker.getTypeAtLocation(heritage);
      if (base.flags & ts.TypeFlags.Any) return { unresolved: heritage.expression.getText() };
      for (const part of base.isIntersection() ? base.types : [base]) {
        const library = libraryName(part, project);
        if (library !== undefined) return { library };
        const bad = badAncestor(part, project);
        if (bad !== undefined) return bad;
      }
    }
  }
  return undefined;
}

/** The name of a type that the language or Node.js brings, which is no data. Mapped types of the library are aliases, not such types. */
export function libraryName({ symbol }: ts.Type, project: Project): string | undefined {
  const file = symbol?.declarations?.[0]?.getSourceFile();
  if (file === undefined || symbol.name.startsWith("__") || !(symbol.flags & (ts.SymbolFlags.Class | ts.SymbolFlags.Interface)))
    return undefined;
  const isLibrary = project.isLibrary(file) || /\/node_modules\/(@types\/(node|bun)|bun-types)\//.test(file.fileName);
  return isLibrary ? symbol.name : undefined;
}
