import type { CallSlot } from "@toolwright/core";
import { ts } from "typescript-json-schema";
import { corePackage } from "./decorators.js";
import type { Project } from "./project.js";
import * as refuse from "./signature-refusals.js";

/** A parameter of a tool's method that the model fills. */
export interface ArgumentParameter {
  readonly name: string;
  readonly declaration: ts.ParameterDeclaration;
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

/**
 * Reads a method as an instance of a class has it. What no call by name can fill is reported.
 *
 * @param takesOutcome - for `compensate`, which may have one more parameter of type ToolOutcome.
 */
export function readSignature(
  owner: ts.ClassDeclaration,
  method: string,
  subject: string,
  project: Project,
  takesOutcome = false,
): ReadSignature | undefined {
  const { checker } = project;
  const instance = checker.getDeclaredTypeOfSymbol(checker.getSymbolAtLocation(owner.name ?? owner) as ts.Symbol);
  const symbol = checker.getPropertyOfType(instance, method);
  const signatures = symbol === undefined ? [] : checker.getTypeOfSymbol(symbol).getCallSignatures();
  const [signature] = signatures;
  const place = symbol?.valueDeclaration ?? owner;
  const at = (ts.isMethodDeclaration(place) ? place.name : undefined) ?? place;
  if (signature === undefined) return undefined;
  if (signatures.length > 1 || (symbol?.declarations?.length ?? 0) > 1) return report(at, refuse.overloads);
  // What is wrong so far does not keep the parameters from being looked at: all problems are told at once.
  if ((signature.typeParameters?.length ?? 0) > 0) report(at, refuse.genericMethod);
  if ((signature as { thisParameter?: ts.Symbol }).thisParameter !== undefined) report(at, refuse.thisParameter);
  const concrete = signature.parameters.filter((parameter) => !checker.getTypeOfSymbol(parameter).isTypeParameter());
  const parameters = concrete.map((parameter) => readParameter(parameter, subject, project, takesOutcome));
  const known = parameters.filter((parameter) => parameter !== undefined);
  return {
    signature,
    parameters: known,
    inputs: known.filter((parameter): parameter is ArgumentParameter => typeof parameter !== "string"),
  };

  function report(node: ts.Node, text: { reason: string; fix: string }): undefined {
    project.error(node, subject, text);
  }
}

function readParameter(
  symbol: ts.Symbol,
  subject: string,
  project: Project,
  takesOutcome: boolean,
): ArgumentParameter | "context" | "outcome" | undefined {
  const declaration = symbol.valueDeclaration;
  if (declaration === undefined || !ts.isParameter(declaration)) return undefined;
  const type = project.checker.getTypeOfSymbol(symbol);
  if (isContext(type, project)) return "context";
  if (takesOutcome && isOutcome(type, project)) return "outcome";
  const refusal = formProblem(declaration);
  if (refusal !== undefined) {
    project.error(declaration.name, `${subject}(${declaration.name.getText()})`, refusal);
    return undefined;
  }
  return {
    name: symbol.name,
    declaration,
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
