import { posix } from "node:path";
import { ts } from "typescript-json-schema";
import type { Project } from "../compile/project.js";

/**
 * How the generated module imports a declaration: a relative path within the project; else the specifier that the author's
 * own code uses for it. Undefined when it is neither.
 */
export function specifierOf(declaration: ts.ClassDeclaration, generatedFile: string, project: Project): string | undefined {
  const file = declaration.getSourceFile();
  if (project.isOwnSource(file)) return relativeSpecifier(generatedFile, file.fileName);
  return importedAs(declaration, project);
}

/** With the extension of the emitted file, which every module system takes. */
function relativeSpecifier(from: string, to: string): string {
  const path = posix.relative(posix.dirname(from), to).replace(/\.([cm]?)tsx?$/, ".$1js");
  return path.startsWith(".") ? path : `./${path}`;
}

function importedAs(declaration: ts.ClassDeclaration, project: Project): string | undefined {
  const found = new Set<string>();
  for (const file of project.program.getSourceFiles()) {
    if (!project.isOwnSource(file)) continue;
    for (const statement of file.statements) {
      if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) continue;
      const { text } = statement.moduleSpecifier;
      const bindings = statement.importClause?.namedBindings;
      if (text.startsWith(".") || bindings === undefined || !ts.isNamedImports(bindings)) continue;
      const isIt = bindings.elements.some((element) => project.symbolOf(element.name)?.declarations?.includes(declaration));
      if (isIt) found.add(text);
    }
  }
  return [...found].sort()[0];
}
