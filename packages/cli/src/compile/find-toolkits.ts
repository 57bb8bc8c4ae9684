import { ts } from "typescript-json-schema";
import { coreDecorator, corePackage, type FoundDecorator } from "./decorators.js";
import { exportNameOf } from "./exports.js";
import type { Project } from "./project.js";
import { classChain, type FoundTool, toolsOf } from "./find-tools.js";
import { hasModifier, isPublic } from "./modifiers.js";

/** A class whose instances bring tools. */
export interface FoundToolkit {
  readonly declaration: ts.ClassDeclaration;
  readonly name: string;
  /** The name that its module exports it by, `default` included. */
  readonly exportName: string;
  /** Its own tools and those of its base classes. */
  readonly tools: readonly FoundTool[];
  readonly decorator: FoundDecorator | undefined;
}

const testFile = /\.(test|spec)\.[cm]?tsx?$/;

/** All classes with tools of the project, by name; what is wrong with their form is reported. */
export function findToolkits(project: Project): readonly FoundToolkit[] {
  const classes = project.program.getSourceFiles().flatMap((file) => (project.isOwnSource(file) ? classesIn(file) : []));
  const candidates = classes
    .map((declaration) => ({ declaration, tools: toolsOf(declaration, project) }))
    .filter(({ tools }) => tools.length > 0);
  const extended = new Set(candidates.flatMap(({ declaration }) => classChain(declaration, project).slice(1)));
  const found = candidates.flatMap(({ declaration, tools }) => {
    const toolkit = toToolkit(declaration, tools, extended.has(declaration), project);
    return toolkit === undefined ? [] : [toolkit];
  });
  return withoutTwins(found, project);
}

/** Class declarations and expressions of a file, nested ones included: those can not be tools, and their author should read why. */
function classesIn(file: ts.SourceFile): readonly ts.ClassLikeDeclaration[] {
  const found: ts.ClassLikeDeclaration[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isClassLike(node)) found.push(node);
    ts.forEachChild(node, visit);
  };
  if (file.text.includes("class")) visit(file);
  return found;
}

function toToolkit(
  declaration: ts.ClassLikeDeclaration,
  tools: readonly FoundTool[],
  isBase: boolean,
  project: Project,
): FoundToolkit | undefined {
  const name = declaration.name?.text ?? "(class without a name)";
  const place = declaration.name ?? declaration;
  if (testFile.test(declaration.getSourceFile().fileName)) {
    project.warn(place, name, {
      reason: "A class with tools in a test file is left out: the generated module would import the test.",
      fix: "Move the class into a file of its own.",
    });
    return undefined;
  }
  const isAbstract = hasModifier(declaration, ts.SyntaxKind.AbstractKeyword);
  if (isAbstract || (isBase && exportNameOf(declaration, project) === undefined)) {
    if (!isBase) {
      project.warn(place, name, {
        reason: "An abstract class has no instances, and no exported class extends it, so its tools are nowhere offered.",
        fix: "Export a class that extends it, or take `abstract` away.",
      });
    }
    return undefined;
  }
  const problem = formProblem(declaration, project);
  if (problem !== undefined) {
    project.error(place, name, problem);
    return undefined;
  }
  // A class without a name, or one that is not a declaration, was refused just above.
  const exported = declaration as ts.ClassDeclaration;
  return {
    declaration: exported,
    name,
    exportName: exportNameOf(declaration, project) ?? name,
    tools,
    decorator: coreDecorator(declaration, "Toolkit", project),
  };
}

function formProblem(declaration: ts.ClassLikeDeclaration, project: Project): { reason: string; fix: string } | undefined {
  if (declaration.name === undefined || !ts.isClassDeclaration(declaration)) {
    return {
      reason: "A class with tools needs a name of its own: tools are known by it.",
      fix: "Write it as `export class MyTools { … }`.",
    };
  }
  if (exportNameOf(declaration, project) === undefined) {
    return {
      reason: "A class with tools must be exported from its file: the generated module imports it.",
      fix: `Write \`export class ${declaration.name.text}\` at the top level of the file.`,
    };
  }
  const constructor = declaration.members.find(ts.isConstructorDeclaration);
  if (constructor !== undefined && !isPublic(constructor)) {
    return {
      reason: "The constructor of a class with tools must be public: an agent takes instances that the application made.",
      fix: "Make the constructor public.",
    };
  }
  if ((declaration.typeParameters?.length ?? 0) > 0) {
    return {
      reason: "A class with tools cannot have type parameters: the schemas would depend on them.",
      fix: `Make it abstract, and export a class that names the types: \`export class MyTools extends ${declaration.name.text}<…> {}\`.`,
    };
  }
  return undefined;
}

function withoutTwins(toolkits: readonly FoundToolkit[], project: Project): readonly FoundToolkit[] {
  const sorted = [...toolkits].sort((one, other) => (one.name < other.name ? -1 : one.name > other.name ? 1 : 0));
  for (const [index, toolkit] of sorted.entries()) {
    const twin = sorted.find((other, at) => at !== index && other.name === toolkit.name);
    if (twin === undefined) continue;
    project.error(toolkit.declaration.name ?? toolkit.declaration, toolkit.name, {
      reason: `Two exported classes with tools are named ${toolkit.name}; the other one is in ${project.relativePath(twin.declaration.getSourceFile().fileName)}.`,
      fix: "Rename one of them: the generated module exports both.",
    });
  }
  return sorted;
}

/** Whether some file of the project imports the authoring package in vain. */
export function coreIsMissing(project: Project): ts.Expression | undefined {
  for (const file of project.program.getSourceFiles()) {
    if (!project.isOwnSource(file)) continue;
    for (const statement of file.statements) {
      if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) continue;
      if (statement.moduleSpecifier.text !== corePackage) continue;
      return project.checker.getSymbolAtLocation(statement.moduleSpecifier) === undefined ? statement.moduleSpecifier : undefined;
    }
  }
  return undefined;
}
