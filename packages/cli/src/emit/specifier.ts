import { posix } from "node:path";
import { ts } from "typescript-json-schema";
import { compareText } from "../compare.js";
import { exportNameOf } from "../compile/exports.js";
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
      const bindings = statement.importClause?.namedBindings;
      if (bindings === undefined || !ts.isNamedImports(bindings)) return [];
      const element = bindings.elements.find(({ name }) => project.symbolOf(name)?.declarations?.includes(declaration));
      const exportName = element?.propertyName ?? element?.name;
      return exportName === undefined ? [] : [{ specifier: statement.moduleSpecifier.text, exportName: exportName.text }];
    });
  });
  return found.sort((one, other) => compareText(one.specifier, other.specifier) || compareText(one.exportName, other.exportName));
}
