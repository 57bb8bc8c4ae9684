import { existsSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { ts } from "typescript-json-schema";
import { partOf } from "./finding.js";
import type { Patient } from "./patient.js";

/** A file of code to look at. */
export interface CodeFile {
  /** Relative to the package, with `/`: the source of a published file where there is one, since that is what its author edits. */
  readonly path: string;
  readonly tree: ts.SourceFile;
}

/** The code that would be published: every module, but not what `bin` names, which are programs of their own. */
export async function publishedCode(patient: Patient): Promise<readonly CodeFile[]> {
  const { files } = await patient.packed();
  const programs = new Set(programsOf(patient).map((path) => path.replace(/^\.\//, "")));
  const sourceOf = sources(patient.folder);
  const found = files
    .map(({ path }) => path)
    .filter((path) => /\.[cm]?js$/.test(path) && !programs.has(path) && !/\.test\.[cm]?js$/.test(path));
  return [...new Set(found.map((path) => sourceOf(path) ?? path))].map((path) => ({
    path,
    tree: ts.createSourceFile(path, patient.read(path) ?? "", ts.ScriptTarget.Latest, true),
  }));
}

function programsOf({ packageJson }: Patient): readonly string[] {
  const { bin } = packageJson;
  return typeof bin === "string"
    ? [bin]
    : Object.values(partOf(packageJson, "bin")).filter((path): path is string => typeof path === "string");
}

/** From a published file to the TypeScript that it was compiled from, by the tsconfig's folders. */
function sources(folder: string): (path: string) => string | undefined {
  const config = join(folder, "tsconfig.json");
  const host: ts.ParseConfigFileHost = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => {} };
  const options = existsSync(config) ? ts.getParsedCommandLineOfConfigFile(config, {}, host)?.options : undefined;
  const relativeTo = (path: string): string => relative(folder, path).split(sep).join("/");
  const [outDir, rootDir] = [options?.outDir ?? join(folder, "dist"), options?.rootDir ?? join(folder, "src")].map(relativeTo);
  return (path) => {
    if (outDir === undefined || rootDir === undefined || !path.startsWith(`${outDir}/`)) return undefined;
    const source = `${rootDir}/${path.slice(outDir.length + 1).replace(/\.([cm]?)js$/, ".$1ts")}`;
    return existsSync(join(folder, source)) ? source : undefined;
  };
}

/** Where a node is; both count from 1. */
export function placeIn(
  { path, tree }: CodeFile,
  node: ts.Node,
): { readonly file: string; readonly line: number; readonly column: number } {
  const { line, character } = tree.getLineAndCharacterOfPosition(node.getStart(tree));
  return { file: path, line: line + 1, column: character + 1 };
}

/** Every node of a file, parents first. */
export function* nodesOf(node: ts.Node): Generator<ts.Node> {
  yield node;
  const children: ts.Node[] = [];
  ts.forEachChild(node, (child) => void children.push(child));
  for (const child of children) yield* nodesOf(child);
}

/** The name by which a file knows an export of `node:process` or another built-in module; undefined when it does not import it. */
function importedAs(tree: ts.SourceFile, module: string, name: string): string | undefined {
  for (const statement of tree.statements) {
    if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) continue;
    if (statement.moduleSpecifier.text.replace(/^node:/, "") !== module) continue;
    const bindings = statement.importClause?.namedBindings;
    if (bindings === undefined || !ts.isNamedImports(bindings)) continue;
    const found = bindings.elements.find((element) => (element.propertyName ?? element.name).text === name);
    if (found !== undefined) return found.name.text;
  }
  return undefined;
}

/** Whether a node is `process.<name>`, or a name that `node:process` gave it. */
export function isOfProcess(node: ts.Node, tree: ts.SourceFile, name: string): boolean {
  if (ts.isPropertyAccessExpression(node)) {
    const { expression } = node;
    const owner =
      ts.isPropertyAccessExpression(expression) && expression.expression.getText(tree) === "globalThis" ? expression.name : expression;
    return node.name.text === name && owner.getText(tree) === "process";
  }
  return ts.isIdentifier(node) && node.text === importedAs(tree, "process", name) && !ts.isImportSpecifier(node.parent) && !isMember(node);
}

const isMember = (node: ts.Identifier): boolean => ts.isPropertyAccessExpression(node.parent) && node.parent.name === node;
