import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import type { Allowances, PackageAllowance } from "@toolwright/core";
import { ts } from "typescript-json-schema";

/** An allow-list in the sources of an app, as far as it can be read without running them. */
export interface FoundAllowance {
  /** Where it is, e.g. `src/agent.ts:12`. */
  readonly place: string;
  readonly allow: Allowances;
  /** What of it could not be read, e.g. `allow` or `allow["@acme/tools-stock"].tools`. */
  readonly unread: readonly string[];
}

const sourceFile = /\.[cm]?[jt]sx?$/;
const testFile = /\.(test|spec)\.[cm]?[jt]sx?$/;
/** Folders of what others wrote, or of what was made from the sources. */
const passedOver = new Set(["node_modules", "dist", "build", "out", "coverage"]);

/** Looks for `ToolRegistry.discover({ allow })` and `ToolRegistry.from(…, { allow })` in the sources below a folder. Runs none. */
export function findAllowances(folder: string): readonly FoundAllowance[] {
  return sourcesIn(folder).flatMap((path) => {
    const text = readFileSync(path, "utf8");
    if (!text.includes("ToolRegistry") || !/\b(discover|from)\b/.test(text)) return [];
    const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
    return callsIn(file).map((call): FoundAllowance => {
      const { line } = file.getLineAndCharacterOfPosition(call.getStart());
      const unread: string[] = [];
      const place = `${relative(folder, path).split(sep).join("/")}:${line + 1}`;
      return { place, allow: allowancesOf(call, unread), unread };
    });
  });
}

function sourcesIn(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true })
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory())
        return passedOver.has(entry.name) || entry.name.startsWith(".") || isOtherPackage(path) ? [] : sourcesIn(path);
      const isSource = sourceFile.test(entry.name) && !testFile.test(entry.name) && !entry.name.endsWith(".d.ts");
      return entry.isFile() && isSource ? [path] : [];
    });
}

/** A package.json without a name only says which kind the modules below it are. */
function isOtherPackage(folder: string): boolean {
  try {
    return (JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { name?: unknown }).name !== undefined;
  } catch {
    return false;
  }
}

function callsIn(file: ts.SourceFile): readonly ts.CallExpression[] {
  const found: ts.CallExpression[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && isRegistryCall(node)) found.push(node);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

const isRegistryCall = ({ expression }: ts.CallExpression): boolean =>
  ts.isPropertyAccessExpression(expression) &&
  (expression.name.text === "discover" || expression.name.text === "from") &&
  ts.isIdentifier(expression.expression) &&
  expression.expression.text === "ToolRegistry";

function allowancesOf(call: ts.CallExpression, unread: string[]): Allowances {
  const isFrom = ts.isPropertyAccessExpression(call.expression) && call.expression.name.text === "from";
  const options = literalOf(call.arguments[isFrom ? 1 : 0]);
  const allow = options === undefined ? undefined : literalOf(valueAt(options, "allow"));
  if (allow === undefined) {
    unread.push("allow");
    return {};
  }
  const entries = allow.properties.flatMap((property): (readonly [string, PackageAllowance])[] => {
    const name = nameOf(property);
    if (name === undefined) {
      unread.push(`allow: ${property.getText().slice(0, 40)}`);
      return [];
    }
    return [[name, allowanceOf(name, literalOf(valueOf(property)), unread)]];
  });
  return Object.fromEntries(entries);
}

/** What decides which tools are offered, and under which names. A configuration is code's own affair. */
function allowanceOf(name: string, options: ts.ObjectLiteralExpression | undefined, unread: string[]): PackageAllowance {
  if (options === undefined) {
    unread.push(`allow[${JSON.stringify(name)}]`);
    return {};
  }
  const read: Record<string, unknown> = {};
  for (const key of ["prefix", "tools", "effects", "descriptions"]) {
    const expression = valueAt(options, key);
    if (expression === undefined) continue;
    const value = constantOf(expression);
    if (value === undefined) unread.push(`allow[${JSON.stringify(name)}].${key}`);
    else read[key] = value;
  }
  if (options.properties.some(ts.isSpreadAssignment)) unread.push(`allow[${JSON.stringify(name)}]`);
  // Of the forms that the registry checks, and refuses where they are wrong.
  return read as PackageAllowance;
}

/** An object literal, also one that a `const` of the same file holds. */
function literalOf(expression: ts.Expression | undefined): ts.ObjectLiteralExpression | undefined {
  const value = plain(expression);
  return value !== undefined && ts.isObjectLiteralExpression(value) ? value : undefined;
}

function plain(expression: ts.Expression | undefined, depth = 0): ts.Expression | undefined {
  if (expression === undefined || depth > 8) return undefined;
  if (ts.isParenthesizedExpression(expression) || ts.isAsExpression(expression) || ts.isSatisfiesExpression(expression))
    return plain(expression.expression, depth + 1);
  if (!ts.isIdentifier(expression)) return expression;
  return plain(constantNamed(expression.text, expression.getSourceFile()), depth + 1);
}

function constantNamed(name: string, file: ts.SourceFile): ts.Expression | undefined {
  for (const statement of file.statements) {
    if (!ts.isVariableStatement(statement) || !(statement.declarationList.flags & ts.NodeFlags.Const)) continue;
    const found = statement.declarationList.declarations.find((each) => ts.isIdentifier(each.name) && each.name.text === name);
    if (found !== undefined) return found.initializer;
  }
  return undefined;
}

const valueAt = (literal: ts.ObjectLiteralExpression, key: string): ts.Expression | undefined => {
  const property = literal.properties.find((each) => nameOf(each) === key);
  return property === undefined ? undefined : valueOf(property);
};

const valueOf = (property: ts.ObjectLiteralElementLike): ts.Expression | undefined =>
  ts.isPropertyAssignment(property) ? property.initializer : ts.isShorthandPropertyAssignment(property) ? property.name : undefined;

function nameOf({ name }: ts.ObjectLiteralElementLike): string | undefined {
  if (name === undefined) return undefined;
  if (ts.isIdentifier(name) || ts.isStringLiteralLike(name)) return name.text;
  if (!ts.isComputedPropertyName(name)) return undefined;
  const key = plain(name.expression);
  return key !== undefined && ts.isStringLiteralLike(key) ? key.text : undefined;
}

function constantOf(expression: ts.Expression): unknown {
  const value = plain(expression);
  if (value === undefined) return undefined;
  if (ts.isStringLiteralLike(value)) return value.text;
  if (ts.isArrayLiteralExpression(value)) {
    const items = value.elements.map(constantOf);
    return items.includes(undefined) ? undefined : items;
  }
  if (!ts.isObjectLiteralExpression(value)) return undefined;
  const entries = value.properties.map((property) => [nameOf(property), constantOf(valueOf(property) ?? value)] as const);
  return entries.some(([key, child]) => key === undefined || typeof child !== "string") ? undefined : Object.fromEntries(entries);
}
