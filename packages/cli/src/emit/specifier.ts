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
 * How the generated module imports a class: by a relative path within the project; else as the author's own code does.
 * Undefined when it is neither.
 */
export function importSourceOf(declaration: ts.ClassDeclaration, generatedFile: string, project: Project): ImportSource | undefined {
  const file = declaration.getSourceFile();
  if (!project.isOwnSource(file)) return importedAs(declaration, project);
  const exportName = exportNameOf(declaration, project);
  return exportName === undefined ? undefined : { specifier: relativeSpecifier(generatedFile, file.fileName), exportName };
}

/** With the extension of the emitted file, which every module system takes. */
function relativeSpecifier(from: string, to: string): string {
  const path = posix.relative(posix.dirname(from), to).replace(/\.([cm]?)tsx?$/, ".$1js");
  return path.startsWith(".") ? path : `./${path}`;
}

function importedAs(declaration: ts.ClassDeclaration, project: Project): ImportSource | undefined {
  const found: ImportSource[] = [];
  for (const file of project.program.getSourceFiles()) {
    if (!project.isOwnSource(file)) continue;
    for (const statement of file.statements) {
      if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) continue;
      const { text: specifier } = statement.moduleSpecifier;
      const bindings = statement.importClause?.namedBindings;
      if (specifier.startsWith(".") || bindings === undefined || !ts.isNamedImports(bindings)) continue;
      const element = bindings.elements.find(({ name }) => project.symbolOf(name)?.declarations?.includes(declaration));
      if (element !== undefined) found.push({ specifier, exportName: (element.propertyName ?? element.name).text });
    }
  }
  return found.sort((one, other) => compareText(one.specifier, other.specifier) || compareText(one.exportName, other.exportName))[0];
}
