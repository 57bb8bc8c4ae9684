import type { PackageManifest } from "@toolwright/core";
import { ts } from "typescript-json-schema";
import type { Finding } from "./finding.js";
import type { Patient } from "./patient.js";
import { type CodeFile, isOfProcess, nodesOf, placeIn, publishedCode } from "./published-code.js";

/** Methods of `console` that write to stdout; `error`, `warn` and `trace` write to stderr. */
const printing = ["log", "info", "debug", "table", "dir", "dirxml", "group", "count", "timeEnd", "timeLog"];
/** What many programs look at, and what says nothing of them. */
const common = ["NODE_ENV", "NODE_DEBUG", "DEBUG", "CI", "NO_COLOR", "TZ"];

/**
 * What the published code does that its users would not expect, read from its text; none of it is run. A use by way of
 * another package, or of a name that the code computes, is not seen.
 */
export async function checkCode(patient: Patient): Promise<readonly Finding[]> {
  const declared = new Set(declaredEnvironment(patient.manifest()));
  const files = await publishedCode(patient);
  return files.flatMap((file) => [...writesOf(file), ...environmentOf(file, declared), ...checkDefault(file, patient)]);
}

function writesOf(file: CodeFile): readonly Finding[] {
  const { tree } = file;
  return [...nodesOf(tree)]
    .filter((node) => isPrint(node, tree) || isStdout(node, tree))
    .map((node) => ({
      code: "DOCTOR_STDOUT",
      severity: "warning",
      ...placeIn(file, node),
      message: `${node.getText(tree)} writes to stdout, which belongs to the app: as an MCP server it would break the protocol.`,
      fix: "Use `context.log` of the tool's ToolContext, or write to stderr (`console.error`).",
    }));
}

function isPrint(node: ts.Node, tree: ts.SourceFile): boolean {
  if (!ts.isPropertyAccessExpression(node) || !ts.isCallExpression(node.parent) || node.parent.expression !== node) return false;
  if (node.expression.getText(tree) === "console") return printing.includes(node.name.text);
  const [target] = node.parent.arguments;
  return node.name.text === "writeSync" && target !== undefined && target.getText(tree) === "1";
}

/** Questions such as `process.stdout.isTTY` write nothing. */
function isStdout(node: ts.Node, tree: ts.SourceFile): boolean {
  if (!isOfProcess(node, tree, "stdout")) return false;
  const { parent } = node;
  return !(ts.isPropertyAccessExpression(parent) && parent.expression === node && !["write", "end", "cork"].includes(parent.name.text));
}

function environmentOf(file: CodeFile, declared: ReadonlySet<string>): readonly Finding[] {
  const { tree } = file;
  return [...nodesOf(tree)]
    .filter((node) => isOfProcess(node, tree, "env"))
    .flatMap((node) => {
      const names = readNames(node);
      if (names === undefined) return [undeclared(file, node, "variables that cannot be told from its text")];
      return names.filter((name) => !declared.has(name) && !common.includes(name)).map((name) => undeclared(file, node, name));
    });
}

const undeclared = (file: CodeFile, node: ts.Node, what: string): Finding => ({
  code: "DOCTOR_ENVIRONMENT",
  severity: "warning",
  ...placeIn(file, node),
  message: `The code reads ${what} from the environment, and the manifest does not say so.`,
  fix: "Take it from the configuration (`defineToolPackage({ config, environment: { key: … } })`), or declare it (`needs: { environment: [ … ] }`).",
});

/** The names that are read of `process.env`; undefined when they are computed, or all of it is handed on. */
function readNames(node: ts.Node): readonly string[] | undefined {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent) && parent.expression === node) return [parent.name.text];
  if (ts.isElementAccessExpression(parent) && parent.expression === node && ts.isStringLiteralLike(parent.argumentExpression))
    return [parent.argumentExpression.text];
  if (ts.isVariableDeclaration(parent) && ts.isObjectBindingPattern(parent.name)) {
    const names = parent.name.elements.map(({ propertyName, name, dotDotDotToken }) =>
      dotDotDotToken === undefined ? (propertyName ?? name) : undefined,
    );
    if (names.every((name) => name !== undefined && (ts.isIdentifier(name) || ts.isStringLiteral(name))))
      return names.map((name) => (name as ts.Identifier | ts.StringLiteral).text);
  }
  return undefined;
}

/** Names of variables that the package says it reads, and those from which its configuration is taken. */
const declaredEnvironment = ({ needs, config }: Partial<PackageManifest> = {}): readonly string[] => [
  ...(needs?.environment ?? []),
  ...Object.values(config?.environment ?? {}),
];

/** The entry must export as default what a registry makes of the package. */
function checkDefault(file: CodeFile, { packageJson }: Patient): readonly Finding[] {
  const entry = rootTarget(packageJson["exports"])
    ?.replace(/^\.\//, "")
    .replace(/\.[cm]?js$/, "");
  if (entry === undefined || !endsAlike(file.path, entry)) return [];
  const { tree } = file;
  const isDefault = tree.statements.some((statement) => {
    if (ts.isExportAssignment(statement)) return statement.isExportEquals !== true;
    if (!ts.isExportDeclaration(statement) || statement.exportClause === undefined) return false;
    return ts.isNamedExports(statement.exportClause) && statement.exportClause.elements.some(({ name }) => name.text === "default");
  });
  if (isDefault) return [];
  return [
    {
      code: "DOCTOR_NO_DEFAULT_EXPORT",
      severity: "error",
      file: file.path,
      message: "The package's entry has no default export, so that a registry cannot make its tools.",
      fix: "Write `export default defineToolPackage({ create: () => [new …Tools()] });` in it.",
    },
  ];
}

function rootTarget(exports: unknown): string | undefined {
  if (typeof exports === "string") return exports;
  if (typeof exports !== "object" || exports === null) return undefined;
  const { ".": root, default: standard, import: module, node } = exports as Record<string, unknown>;
  return rootTarget(root ?? standard ?? module ?? node);
}

/** `src/index.ts` is the source of `dist/index.js`. */
const endsAlike = (path: string, entry: string): boolean => {
  const below = (text: string): string =>
    text
      .replace(/\.[cm]?[jt]s$/, "")
      .split("/")
      .slice(1)
      .join("/");
  return path.replace(/\.[cm]?[jt]s$/, "") === entry || below(path) === below(entry);
};
