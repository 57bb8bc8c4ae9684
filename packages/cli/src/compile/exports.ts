import { ts } from "typescript-json-schema";
import type { Project } from "./project.js";

/**
 * The name by which the file of a declaration exports it as a value: its own if it can be, `default` last; undefined when
 * an import cannot have it.
 */
export function exportNameOf(declaration: ts.NamedDeclaration, project: Project): string | undefined {
  const symbols = exportsOf(declaration, project).filter((symbol) => !isTypeOnly(symbol) && isImportable(symbol.name));
  const names = symbols.map((symbol) => symbol.name);
  const own = ownName(declaration);
  return names.find((name) => name === own) ?? names.filter((name) => name !== "default").sort()[0] ?? names[0];
}

/** Whether a declaration is exported, but only as a type. */
export function isExportedAsType(declaration: ts.NamedDeclaration, project: Project): boolean {
  const symbols = exportsOf(declaration, project);
  return symbols.length > 0 && symbols.every(isTypeOnly);
}

/** The name that others know a class by: the one that it is exported by, or else its own. */
export function publicNameOf(declaration: ts.NamedDeclaration, project: Project): string | undefined {
  const exported = exportNameOf(declaration, project);
  return exported !== undefined && isBinding(exported) ? exported : ownName(declaration);
}

function exportsOf(declaration: ts.NamedDeclaration, project: Project): readonly ts.Symbol[] {
  const own = symbolOfDeclaration(declaration, project);
  const module = project.checker.getSymbolAtLocation(declaration.getSourceFile());
  if (own === undefined || module === undefined) return [];
  return project.checker.getExportsOfModule(module).filter((symbol) => project.resolve(symbol) === own);
}

function symbolOfDeclaration(declaration: ts.NamedDeclaration, project: Project): ts.Symbol | undefined {
  const at = declaration.name ?? declaration;
  const symbol = project.checker.getSymbolAtLocation(at) ?? (declaration as { symbol?: ts.Symbol }).symbol;
  return symbol === undefined ? undefined : project.resolve(symbol);
}

const ownName = ({ name }: ts.NamedDeclaration): string | undefined =>
  name !== undefined && ts.isIdentifier(name) ? name.text : undefined;

/** By `export type { A }` or `export { type A }`. */
export const isTypeOnly = ({ declarations = [] }: ts.Symbol): boolean =>
  declarations.some((declaration) => ts.isExportSpecifier(declaration) && ts.isTypeOnlyExportDeclaration(declaration));

/** Not by `export =`, nor by a text: `export { A as "a name" }`. */
const isImportable = (name: string): boolean => /^[\p{ID_Start}$_][\p{ID_Continue}$\u200C\u200D]*$/u.test(name);

/** Whether a module can declare the name; `export { A as if }` is possible, `export const if` is not. */
function isBinding(name: string): boolean {
  if (name === "default") return false;
  const token = ts.createScanner(ts.ScriptTarget.ESNext, true, ts.LanguageVariant.Standard, name).scan();
  return token !== ts.SyntaxKind.AwaitKeyword && (token === ts.SyntaxKind.Identifier || token > ts.SyntaxKind.LastFutureReservedWord);
}
