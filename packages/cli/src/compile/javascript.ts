import { existsSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { ts } from "typescript-json-schema";
import { corePackage } from "./decorators.js";
import type { Project, ProblemText } from "./project.js";

/** Reports tools in the project's JavaScript: nothing there says what their arguments are. */
export function reportJavaScriptTools(project: Project): void {
  for (const path of project.config.scripts) {
    const text = ts.sys.readFile(path);
    if (text === undefined || !text.includes(corePackage) || !/@Tool\b/.test(text)) continue;
    const file = ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true);
    const visit = (node: ts.Node): void => {
      if (ts.isMethodDeclaration(node) && ts.isClassLike(node.parent) && ts.getDecorators(node)?.some(isTool)) {
        project.error(node, `${node.parent.name?.text ?? "(class without a name)"}.${node.name.getText()}`, inJavaScript(path));
      }
      ts.forEachChild(node, visit);
    };
    visit(file);
  }
}

const isTool = ({ expression }: ts.Decorator): boolean =>
  (ts.isCallExpression(expression) ? expression.expression : expression).getText() === "Tool";

const typed = (path: string, extension: string): string => basename(path).replace(/\.([cm]?)jsx?$/, extension.replace("ts", "$1ts"));

const inJavaScript = (path: string): ProblemText => ({
  reason: "A tool in JavaScript has no types, and its schema is made of types.",
  fix: `Rename the file to ${typed(path, ".ts")} and write the types of the parameters, or make the tool by \`defineTool\` with a schema of your own.`,
});

/** What is wrong with a name that cannot be resolved, when its import leads to JavaScript. */
export function declaredInJavaScript(name: ts.Node, project: Project): ProblemText | undefined {
  const declaration = ts.isEntityName(name) ? project.checker.getSymbolAtLocation(name)?.declarations?.[0] : undefined;
  const statement = declaration === undefined ? undefined : ts.findAncestor(declaration, ts.isImportDeclaration);
  if (statement === undefined || !ts.isStringLiteral(statement.moduleSpecifier)) return undefined;
  const { text } = statement.moduleSpecifier;
  if (!text.startsWith(".")) return undefined;
  const path = resolve(dirname(statement.getSourceFile().fileName), text);
  const script = [path, `${path}.js`, `${path}/index.js`].find((each) => /\.[cm]?jsx?$/.test(each) && existsSync(each));
  if (script === undefined) return undefined;
  return {
    reason: `${name.getText()} is declared in JavaScript, ${project.relativePath(script)}, where types are not read.`,
    fix: `Rename that file to ${typed(script, ".ts")} and write the types, or put its declarations beside it: ${typed(script, ".d.ts")}.`,
  };
}
