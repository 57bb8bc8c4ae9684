import type { CallSlot } from "@toolwright/core";
import { ts } from "typescript-json-schema";
import { corePackage } from "./decorators.js";
import type { Project } from "./project.js";
import * as refuse from "./signature-refusals.js";

/** A parameter of a tool's method that the model fills. */
export interface ArgumentParameter {
  readonly name: string;
  readonly declaration: ts.ParameterDeclaration;
  /** Where remarks about its type are shown. */
  readonly place: ts.Node;
  /** As the class sees it, type arguments of a generic base filled in. */
  readonly type: ts.Type;
  readonly optional: boolean;
}

/** The parameters of a method, sorted by who fills them. */
export interface ReadSignature {
  readonly signature: ts.Signature;
  readonly parameters: readonly (ArgumentParameter | "context" | "outcome")[];
  /** Those that the model fills. */
  readonly inputs: readonly ArgumentParameter[];
}

/** The method to read. */
export interface MethodToRead {
  readonly owner: ts.ClassDeclaration;
  readonly method: string;
  readonly subject: string;
  /** Where remarks are shown when the method's own source is not the author's. */
  readonly place: ts.Node;
  /** For `compensate`, which may have one more parameter of type ToolOutcome. Default false. */
  readonly takesOutcome?: boolean | undefined;
}

/** Reads a method as an instance of a class has it. What no call by name can fill is reported. */
export function readSignature(read: MethodToRead, project: Project): ReadSignature | undefined {
  const { checker } = project;
  const { owner, method, subject } = read;
  const instance = checker.getDeclaredTypeOfSymbol(checker.getSymbolAtLocation(owner.name ?? owner) as ts.Symbol);
  const symbol = checker.getPropertyOfType(instance, method);
  const signatures = symbol === undefined ? [] : checker.getTypeOfSymbol(symbol).getCallSignatures();
  const [signature] = signatures;
  if (signature === undefined) return undefined;
  const declared = symbol?.valueDeclaration;
  const isShown = declared !== undefined && ts.isMethodDeclaration(declared) && project.isEditable(declared.getSourceFile());
  const report = (text: { reason: string; fix: string }): undefined => {
    project.error(isShown ? declared.name : read.place, subject, text);
  };
  // One overload and the implementation are one signature for the checker.
  const own = symbol?.declarations?.filter(({ parent }) => parent === declared?.parent) ?? [];
  if (signatures.length > 1 || own.length > 1) return report(refuse.overloads);
  // What is wrong so far does not keep the parameters from being looked at: all problems are told at once.
  if ((signature.typeParameters?.length ?? 0) > 0) report(refuse.genericMethod);
  if ((signature as { thisParameter?: ts.Symbol }).thisParameter !== undefined) report(refuse.thisParameter);
  const concrete = signature.parameters.filter(
    (parameter) => !signature.typeParameters?.includes(checker.getTypeOfSymbol(parameter) as ts.TypeParameter),
  );
  const parameters = concrete.map((parameter) => readParameter(parameter, read, project));
  const known = parameters.filter((parameter) => parameter !== undefined);
  return {
    signature,
    parameters: known,
    inputs: known.filter((parameter): parameter is ArgumentParameter => typeof parameter !== "string"),
  };
}

function readParameter(symbol: ts.Symbol, read: MethodToRead, project: Project): ArgumentParameter | "context" | "outcome" | undefined {
  const declaration = symbol.valueDeclaration;
  if (declaration === undefined || !ts.isParameter(declaration)) return undefined;
  const type = project.checker.getTypeOfSymbol(symbol);
  if (isContext(type, project)) return "context";
  if (read.takesOutcome === true && isOutcome(type, project)) return "outcome";
  const isShown = project.isEditable(declaration.getSourceFile());
  const refusal = formProblem(declaration);
  if (refusal !== undefined) {
    project.error(isShown ? declaration.name : read.place, `${read.subject}(${declaration.name.getText()})`, refusal);
    return undefined;
  }
  return {
    name: symbol.name,
    declaration,
    place: isShown ? (declaration.type ?? declaration) : read.place,
    type,
    optional: declaration.questionToken !== undefined || declaration.initializer !== undefined,
  };
}

function formProblem(declaration: ts.ParameterDeclaration): { reason: string; fix: string } | undefined {
  if (declaration.dotDotDotToken !== undefined) return refuse.restParameter;
  if (!ts.isIdentifier(declaration.name)) return refuse.destructured;
  if (declaration.name.text === "__proto__") return refuse.protoParameter;
  return undefined;
}

/** The context is known by its interface and the mark in it, whatever the parameter is called. */
function isContext(type: ts.Type, project: Project): boolean {
  if (type.flags & (ts.TypeFlags.StringLike | ts.TypeFlags.NumberLike | ts.TypeFlags.BooleanLike)) return false;
  const plain = project.checker.getNonNullableType(type);
  return plain.symbol?.name === "ToolContext" && project.checker.getPropertyOfType(plain, "~toolwright.context") !== undefined;
}

function isOutcome(type: ts.Type, project: Project): boolean {
  const plain = project.checker.getNonNullableType(type);
  return plain.aliasSymbol?.name === "ToolOutcome" && project.isFrom(plain.aliasSymbol, corePackage);
}

/** How the kernel fills the parameters. */
export function callSlots({ parameters }: ReadSignature, takesWhole: boolean): readonly CallSlot[] {
  return parameters.map((parameter) => {
    if (parameter === "context") return { context: true };
    if (parameter === "outcome") return { outcome: true };
    return takesWhole ? { arguments: true } : { argument: parameter.name };
  });
}
