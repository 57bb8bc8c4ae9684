import { ts } from "typescript-json-schema";
import { coreDecorator, corePackage, type FoundDecorator } from "./decorators.js";
import { exportNameOf, isExportedAsType, publicNameOf } from "./exports.js";
import type { Project, ProblemText, WarningText } from "./project.js";
import { classChain, unresolvedBase } from "./class-chain.js";
import { type FoundTool, toolsOf } from "./find-tools.js";
import { type ClassMark, idOf, markOf } from "./marks.js";
import { hasModifier, isPublic } from "./modifiers.js";

/** A class whose instances bring tools. */
export interface FoundToolkit {
  readonly declaration: ts.ClassDeclaration;
  readonly name: string;
  /** Its own tools and those of its base classes. */
  readonly tools: readonly FoundTool[];
  readonly decorator: FoundDecorator | undefined;
}

/** A class with tools that is not offered, unless what other files say changes that. */
export interface Unoffered extends ClassMark {
  /** `abstract`: a remark unless a class extends it. `unexported`: an error unless a class extends it. `form`: an error. */
  readonly why: "abstract" | "unexported" | "form";
  readonly text: ProblemText;
}

/** What a class declaration turned out to be. */
export interface FoundClass {
  readonly toolkit?: FoundToolkit | undefined;
  readonly unoffered?: Unoffered | undefined;
  /** Ids of the classes that it extends. */
  readonly bases: readonly string[];
}

const testFile = /\.(test|spec)\.[cm]?tsx?$/;

/** Looks at a class: undefined when it has no tools. */
export function findToolkit(declaration: ts.ClassLikeDeclaration, project: Project): FoundClass | undefined {
  const tools = toolsOf(declaration, project);
  if (tools.length === 0) return undefined;
  const name = declaration.name?.text ?? "(class without a name)";
  const place = declaration.name ?? declaration;
  if (testFile.test(declaration.getSourceFile().fileName)) {
    project.warn(place, name, inTestFile);
    return { bases: [] };
  }
  const bases = classChain(declaration, project)
    .slice(1)
    .map((base) => idOf(base, project));
  const unoffered = unofferedText(declaration, project);
  if (unoffered !== undefined) return { bases, unoffered: { ...markOf(declaration, project), name, ...unoffered } };
  // A class without a name, or one that is not a declaration, is not offered.
  const exported = declaration as ts.ClassDeclaration;
  const decorator = coreDecorator(declaration, "Toolkit", project);
  return { bases, toolkit: { declaration: exported, name: publicNameOf(exported, project) ?? name, tools, decorator } };
}

const inTestFile: WarningText = {
  code: "BUILD_TEST_FILE",
  reason: "A class with tools in a test file is left out: the generated module would import the test.",
  fix: "Move the class into a file of its own.",
};

function unofferedText(declaration: ts.ClassLikeDeclaration, project: Project): Pick<Unoffered, "why" | "text"> | undefined {
  if (hasModifier(declaration, ts.SyntaxKind.AbstractKeyword)) {
    const text = {
      reason: "An abstract class has no instances, and no exported class extends it, so its tools are nowhere offered.",
      fix: "Export a class that extends it, or take `abstract` away.",
    };
    return { why: "abstract", text };
  }
  const hidden = hiddenProblem(declaration, project);
  if (hidden !== undefined) return { why: "unexported", text: hidden };
  const text = formProblem(declaration, project);
  return text === undefined ? undefined : { why: "form", text };
}

/** Class declarations and expressions of a file, nested ones included: those can not be tools, and their author should read why. */
export function classesIn(file: ts.SourceFile): readonly ts.ClassLikeDeclaration[] {
  const found: ts.ClassLikeDeclaration[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isClassLike(node)) found.push(node);
    ts.forEachChild(node, visit);
  };
  // Tools are decorated or inherited.
  if (/@|\bextends\b/.test(file.text)) visit(file);
  return found;
}

function hiddenProblem(declaration: ts.ClassLikeDeclaration, project: Project): ProblemText | undefined {
  if (declaration.name === undefined) {
    return {
      reason: "A class with tools needs a name of its own: tools are known by it.",
      fix: "Write it as `export class MyTools { … }`.",
    };
  }
  const { text } = declaration.name;
  if (!ts.isClassDeclaration(declaration)) {
    return {
      reason: "A class with tools must be a declaration: an expression has no name that others can rely on.",
      fix: `Write it as \`export class ${text} { … }\`.`,
    };
  }
  if (exportNameOf(declaration, project) !== undefined) return undefined;
  if (isExportedAsType(declaration, project)) {
    return {
      reason: "The class with tools is exported as a type only: the generated module imports the class itself.",
      fix: `Write \`export { ${text} }\`, without \`type\`.`,
    };
  }
  return {
    reason: "A class with tools must be exported from its file: the generated module imports it.",
    fix: `Write \`export class ${text}\` at the top level of the file.`,
  };
}

function formProblem(declaration: ts.ClassLikeDeclaration, project: Project): ProblemText | undefined {
  const unresolved = unresolvedBase(declaration, project);
  if (unresolved !== undefined) {
    return {
      reason: `The base class ${unresolved} cannot be resolved, so its tools would be left out.`,
      fix: "Check the import; if it comes from another package of your workspace, build or install that first.",
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
      fix: `Make it abstract, and export a class that names the types: \`export class MyTools extends ${declaration.name?.text ?? ""}<…> {}\`.`,
    };
  }
  return undefined;
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
