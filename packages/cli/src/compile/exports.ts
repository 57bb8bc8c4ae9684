import type { ts } from "typescript-json-schema";
import type { Project } from "./project.js";

/** The name by which the file of a declaration exports it: its own if it can be, `default` last; undefined when it is not exported. */
export function exportNameOf(declaration: ts.NamedDeclaration, project: Project): string | undefined {
  const own = symbolOfDeclaration(declaration, project);
  const module = project.checker.getSymbolAtLocation(declaration.getSourceFile());
  if (own === undefined || module === undefined) return undefined;
  const names = project.checker
    .getExportsOfModule(module)
    .filter((symbol) => project.resolve(symbol) === own)
    .map((symbol) => symbol.name);
  return names.find((name) => name === own.name) ?? names.filter((name) => name !== "default").sort()[0] ?? names[0];
}

function symbolOfDeclaration(declaration: ts.NamedDeclaration, project: Project): ts.Symbol | undefined {
  const at = declaration.name ?? declaration;
  const symbol = project.checker.getSymbolAtLocation(at) ?? (declaration as { symbol?: ts.Symbol }).symbol;
  return symbol === undefined ? undefined : project.resolve(symbol);
}
