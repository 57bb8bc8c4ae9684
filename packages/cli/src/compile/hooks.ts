import type { MethodReference } from "@toolwright/core";
import { ts } from "typescript-json-schema";
import { classChain } from "./class-chain.js";
import { memberName } from "./find-tools.js";
import type { FoundTool } from "./find-tools.js";
import { hasModifier, isPublic } from "./modifiers.js";
import type { Project, ProblemText } from "./project.js";
import { type ArgumentParameter, callSlots, type ReadSignature, readSignature } from "./signature.js";
import type { ReadToolOptions } from "./tool-options.js";

type Hook = "approval" | "query" | "compensate";

/** The tool whose hooks are read. */
export interface HookedTool {
  readonly owner: ts.ClassDeclaration;
  readonly tool: FoundTool;
  readonly signature: ReadSignature;
  /** The one parameter that takes all arguments, if there is one. */
  readonly whole: ArgumentParameter | undefined;
  readonly subject: string;
}

/** What the manifest says about the methods around a tool. */
export interface ReadHooks {
  approval?: true | MethodReference;
  query?: MethodReference;
  compensate?: MethodReference;
}

/** Finds the methods that the options name, and checks that they can be called with the tool's arguments. */
export function readHooks(hooked: HookedTool, options: ReadToolOptions, project: Project): ReadHooks {
  const hooks: ReadHooks = {};
  if (options.approval === true) hooks.approval = true;
  for (const hook of ["approval", "query", "compensate"] as const) {
    const method = options[hook];
    if (method === undefined || method === true) continue;
    const reference = readHook(hook, method, hooked, options, project);
    if (reference !== undefined) hooks[hook] = reference;
  }
  return hooks;
}

function readHook(hook: Hook, method: string, hooked: HookedTool, options: ReadToolOptions, project: Project): MethodReference | undefined {
  const place = options.places.get(hook) ?? hooked.tool.place;
  const fail = (text: ProblemText): undefined => project.error(place, hooked.subject, text) as undefined;
  const member = memberOf(hooked.owner, method, project);
  if (member === undefined || !ts.isMethodDeclaration(member)) {
    return fail({
      reason: `\`${hook}\` names ${method}, and the class has no such method.`,
      fix: `Add \`${method}(…)\` with the tool's parameters.`,
    });
  }
  if (!isCallable(member))
    return fail({
      reason: `\`${hook}\` names ${method}, which is not a public method of instances.`,
      fix: "Make it public and not static.",
    });
  const subject = `${hooked.owner.name?.text ?? ""}.${method}`;
  const signature = readSignature({ owner: hooked.owner, method, subject, place, takesOutcome: hook === "compensate" }, project);
  if (signature === undefined) return undefined;
  const takesWhole = isWhole(signature, hooked, project);
  const mismatch = takesWhole ? undefined : firstMismatch(hook, method, signature, hooked, project);
  if (mismatch !== undefined) return fail(mismatch);
  const answer = answerProblem(hook, method, signature, project);
  if (answer !== undefined) return fail(answer);
  return { method, call: callSlots(signature, takesWhole) };
}

function memberOf(owner: ts.ClassDeclaration, method: string, project: Project): ts.ClassElement | undefined {
  for (const level of classChain(owner, project)) {
    const member = level.members.find((each) => each.name !== undefined && memberName(each.name) === method);
    if (member !== undefined) return member;
  }
  return undefined;
}

const isCallable = (member: ts.MethodDeclaration): boolean =>
  !ts.isPrivateIdentifier(member.name) && isPublic(member) && !hasModifier(member, ts.SyntaxKind.StaticKeyword);

/** A hook takes the arguments as one object when the tool does and the object fits. */
function isWhole({ inputs }: ReadSignature, { whole }: HookedTool, project: Project): boolean {
  const [only] = inputs;
  return whole !== undefined && only !== undefined && inputs.length === 1 && project.checker.isTypeAssignableTo(whole.type, only.type);
}

/** A parameter of the hook that is no argument of the tool, or of another type. */
function firstMismatch(
  hook: Hook,
  method: string,
  signature: ReadSignature,
  hooked: HookedTool,
  project: Project,
): ProblemText | undefined {
  const available = argumentTypes(hooked, project);
  for (const { name, type, optional } of signature.inputs) {
    const given = available.get(name);
    if (given === undefined) {
      if (optional) continue;
      const names = [...available.keys()].join(", ");
      const outcome = hook === "compensate" ? " For the recorded outcome, give the parameter the type ToolOutcome." : "";
      return {
        reason: `${method} has a parameter \`${name}\`, which is no argument of the tool.`,
        fix: `It may take ${names === "" ? "no arguments" : names}, and a ToolContext.${outcome}`,
      };
    }
    if (!project.checker.isTypeAssignableTo(given, type)) {
      const text = (each: ts.Type): string =>
        project.checker.typeToString(each, undefined, ts.TypeFormatFlags.UseAliasDefinedOutsideCurrentScope);
      return {
        reason: `${method} takes \`${name}\` as ${text(type)}, but the tool has ${text(given)}.`,
        fix: `Give \`${name}\` the tool's type.`,
      };
    }
  }
  return undefined;
}

function argumentTypes({ whole, signature }: HookedTool, { checker }: Project): ReadonlyMap<string, ts.Type> {
  if (whole !== undefined)
    return new Map(checker.getPropertiesOfType(whole.type).map((property) => [property.name, checker.getTypeOfSymbol(property)]));
  return new Map(signature.inputs.map(({ name, type }) => [name, type]));
}

function answerProblem(hook: Hook, method: string, { signature }: ReadSignature, project: Project): ProblemText | undefined {
  const { checker } = project;
  const returned = checker.getReturnTypeOfSignature(signature);
  const answer = checker.getAwaitedType(returned) ?? returned;
  const parts = answer.isUnion() ? answer.types : [answer];
  if (hook === "approval" && !parts.every((part) => part.flags & ts.TypeFlags.BooleanLike)) {
    return {
      reason: `${method} decides about approval, so it must return a boolean.`,
      fix: "Return true when a person must approve the call, else false.",
    };
  }
  const keys = ["done", "absent", "unknown"];
  if (hook === "query" && !parts.every((part) => keys.some((key) => checker.getPropertyOfType(part, key) !== undefined))) {
    return {
      reason: `${method} answers whether a write happened, and its result has another form.`,
      fix: "Return { done: true, result }, { absent: true } or { unknown: true }.",
    };
  }
  return undefined;
}
