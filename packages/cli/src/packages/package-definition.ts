import type { PackageConfigManifest, PackageNeeds } from "@toolwright/core";
import { ts } from "typescript-json-schema";
import { type Constant, constantOf } from "../compile/constant.js";
import { corePackage } from "../compile/decorators.js";
import type { Project } from "../compile/project.js";
import { configSchema } from "./config-schema.js";

/** What the default export of a tool package declares, as its manifest says it. */
export interface PackageDefinition {
  readonly needs: PackageNeeds | undefined;
  readonly config: PackageConfigManifest | undefined;
}

const functionName = "defineToolPackage";
const needsKeys = ["hosts", "files", "environment"];

/**
 * Reads what `defineToolPackage` is given in the sources of a tool package; undefined when there is no such call. What is not
 * a constant is reported: the manifest tells it before any code runs.
 */
export function packageDefinition(project: Project): PackageDefinition | undefined {
  const [first, second] = project.program
    .getSourceFiles()
    .filter((file) => project.isOwnSource(file) && !/\.(test|spec)\.[cm]?tsx?$/.test(file.fileName) && file.text.includes(functionName))
    .flatMap((file) => callsIn(file, project));
  if (first === undefined) return undefined;
  if (second !== undefined) {
    project.error(second.expression, functionName, {
      reason: "A package has one definition, the default export of its entry, and this is a second one.",
      fix: "Put all of its toolkits into one.",
    });
  }
  const [given] = first.arguments;
  if (given === undefined || !ts.isObjectLiteralExpression(given)) {
    project.error(given ?? first, functionName, {
      reason: "What the package declares goes into its manifest, so the build must be able to read it.",
      fix: "Write the options where it is called: `defineToolPackage({ create: … })`.",
    });
    return undefined;
  }
  const options = new Map(
    given.properties.flatMap((property) => (property.name === undefined ? [] : [[property.name.getText(), property]])),
  );
  const needs = constantAt(options.get("needs"), "needs", isNeeds, "lists of texts: `hosts`, `files` and `environment`", project);
  const environment = constantAt(options.get("environment"), "environment", isTextRecord, "names of variables by key", project);
  const secrets = constantAt(options.get("secrets"), "secrets", isTexts, "a list of keys", project);
  const config = options.get("config");
  if (config === undefined) return { needs: needs as PackageNeeds | undefined, config: undefined };
  const schema = configSchema(classOf(config, project), project);
  return {
    // Checked just above.
    needs: needs as PackageNeeds | undefined,
    config: {
      ...(schema !== undefined && { schema }),
      ...(environment !== undefined && { environment: environment as Readonly<Record<string, string>> }),
      ...(secrets !== undefined && { secrets: secrets as readonly string[] }),
    },
  };
}

function callsIn(file: ts.SourceFile, project: Project): readonly ts.CallExpression[] {
  const found: ts.CallExpression[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && isDefinition(node, project)) found.push(node);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

function isDefinition({ expression }: ts.CallExpression, project: Project): boolean {
  const name = ts.isPropertyAccessExpression(expression) ? expression.name : expression;
  if (!ts.isIdentifier(name)) return false;
  const symbol = project.symbolOf(name);
  return symbol?.name === functionName && project.isFrom(symbol, corePackage);
}

function constantAt(
  property: ts.ObjectLiteralElementLike | undefined,
  name: string,
  holds: (value: Constant) => boolean,
  what: string,
  project: Project,
): Constant {
  if (property === undefined) return undefined;
  const expression = ts.isShorthandPropertyAssignment(property)
    ? constantNamed(property, project)
    : ts.isPropertyAssignment(property)
      ? property.initializer
      : undefined;
  const value = expression === undefined ? undefined : constantOf(expression, project);
  if (value !== undefined && (value.value === undefined || holds(value.value))) return value.value;
  project.error(property, `${functionName}.${name}`, {
    reason: value === undefined ? "The manifest tells it before any code runs, so it must be a constant." : `It must be ${what}.`,
    fix: `Write it out where it is: \`${name}: ${name === "secrets" ? '["apiKey"]' : name === "needs" ? '{ hosts: ["api.acme.com"] }' : '{ apiKey: "ACME_API_KEY" }'}\`.`,
  });
  return undefined;
}

/** What the `const` holds that `{ needs }` means. */
function constantNamed(property: ts.ShorthandPropertyAssignment, project: Project): ts.Expression | undefined {
  const symbol = project.checker.getShorthandAssignmentValueSymbol(property);
  const declaration = symbol === undefined ? undefined : project.resolve(symbol).valueDeclaration;
  const isConstant =
    declaration !== undefined && ts.isVariableDeclaration(declaration) && (ts.getCombinedNodeFlags(declaration) & ts.NodeFlags.Const) !== 0;
  return isConstant ? declaration.initializer : undefined;
}

const isRecord = (value: Constant): value is { readonly [key: string]: Constant } =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isTexts = (value: Constant): boolean => Array.isArray(value) && value.every((each) => typeof each === "string" && each !== "");
const isTextRecord = (value: Constant): boolean => isRecord(value) && Object.values(value).every((each) => typeof each === "string");
const isNeeds = (value: Constant): boolean =>
  isRecord(value) && Object.entries(value).every(([key, list]) => needsKeys.includes(key) && isTexts(list));

/** The class that `config` names, however it got there. */
function classOf(property: ts.ObjectLiteralElementLike, project: Project): ts.ClassDeclaration | undefined {
  const symbol = ts.isShorthandPropertyAssignment(property)
    ? project.checker.getShorthandAssignmentValueSymbol(property)
    : ts.isPropertyAssignment(property)
      ? project.checker.getSymbolAtLocation(property.initializer)
      : undefined;
  const declaration = symbol === undefined ? undefined : project.resolve(symbol).valueDeclaration;
  return declaration !== undefined && ts.isClassDeclaration(declaration) ? declaration : undefined;
}
