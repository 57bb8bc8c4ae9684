import { posix } from "node:path";
import { ts } from "typescript-json-schema";
import { compareText } from "../compare.js";
import { exportNameOf, isTypeOnly } from "../compile/exports.js";
import type { Project } from "../compile/project.js";

/** Where a class is imported from, and the name that it has there. */
export interface ImportSource {
  readonly specifier: string;
  readonly exportName: string;
}

/**
 * How the generated module imports a class: by a relative path within the project; else as the author's own code does,
 * by a package's name or by a path to a neighbour. Undefined when it does neither.
 */
export function importSourceOf(declaration: ts.ClassDeclaration, generatedFile: string, project: Project): ImportSource | undefined {
  const file = declaration.getSourceFile();
  const imports = project.isOwnSource(file) ? [] : importsOf(declaration, project);
  const [byName] = imports.filter(({ specifier }) => !specifier.startsWith("."));
  if (byName !== undefined) return byName;
  const exportName = exportNameOf(declaration, project);
  const isNear = project.isOwnSource(file) || (project.isEditable(file) && imports.length > 0);
  return exportName === undefined || !isNear ? undefined : { specifier: relativeSpecifier(generatedFile, file.fileName), exportName };
}

/** With the extension of the emitted file, which every module system takes. */
function relativeSpecifier(from: string, to: string): string {
  const path = posix.relative(posix.dirname(from), to).replace(/\.([cm]?)tsx?$/, ".$1js");
  return path.startsWith(".") ? path : `./${path}`;
}

/** How files of the project import a class, in a fixed order. */
function importsOf(declaration: ts.ClassDeclaration, project: Project): readonly ImportSource[] {
  const found = project.program.getSourceFiles().flatMap((file) => {
    if (!project.isOwnSource(file)) return [];
    return file.statements.flatMap((statement): ImportSource[] => {
      if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) return [];
      const exportName = importedName(statement.importClause, declaration, project);
      if (exportName === undefined || isTypeIn(statement.moduleSpecifier, exportName, project)) return [];
      return [{ specifier: statement.moduleSpecifier.text, exportName }];
    });
  });
  return found.sort((one, other) => compareText(one.specifier, other.specifier) || compareText(one.exportName, other.exportName));
}

/** Whether a module has a name for a type only, which the class itself cannot be imported by. */
function isTypeIn(specifier: ts.Expression, exportName: string, { checker }: Project): boolean {
  const module = checker.getSymbolAtLocation(specifier);
  const symbol = module === undefined ? undefined : checker.tryGetMemberInModuleExports(exportName, module);
  return symbol !== undefined && isTypeOnly(symbol);
}

/** What an import calls a class: by its name, as the default, or as a part of all that the module has. */
function importedName(clause: ts.ImportClause | undefined, declaration: ts.ClassDeclaration, project: Project): string | undefined {
  const isIt = (symbol: ts.Symbol | undefined): boolean => symbol?.declarations?.includes(declaration) === true;
  if (clause?.name !== undefined && isIt(project.symbolOf(clause.name))) return "default";
  const bindings = clause?.namedBindings;
  if (bindings === undefined) return undefined;
  if (ts.isNamespaceImport(bindings)) {
    const module = project.symbolOf(bindings.name);
    const all = module === undefined ? [] : project.checker.getExportsOfModule(module);
    return all.find((symbol) => isIt(project.resolve(symbol)))?.name;
  }
  const element = bindings.elements.find(({ name }) => isIt(project.symbolOf(name)));
  return (element?.propertyName ?? element?.name)?.text;
}
