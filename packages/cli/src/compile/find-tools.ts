import type { ToolkitManifest, ToolManifest } from "@toolwright/core";
import { ts } from "typescript-json-schema";
import { classChain, heritageOf } from "./class-chain.js";
import { coreDecorator, corePackage, decoratorsOf, type FoundDecorator } from "./decorators.js";
import { inheritedManifest } from "./inherited-manifest.js";
import { hasModifier } from "./modifiers.js";
import type { Project, ProblemText } from "./project.js";

/** A method with `@Tool`. */
export interface FoundTool {
  readonly method: string;
  readonly declaration: ts.MethodDeclaration;
  /** Undefined when the class is known by its declarations only, which have none. */
  readonly decorator: FoundDecorator | undefined;
  /** What the package of such a class says of the tool. */
  readonly known?: ToolManifest | undefined;
  /** Where remarks about it are shown. */
  readonly place: ts.Node;
}

/**
 * The tools of a class. A method counts as the nearest class declares it: one that overrides a tool without `@Tool` is
 * no tool any more.
 */
export function toolsOf(declaration: ts.ClassLikeDeclaration, project: Project): readonly FoundTool[] {
  const tools: FoundTool[] = [];
  const overridden = new Map<string, ts.ClassElement>();
  let manifest: ToolkitManifest | undefined;
  for (const owner of classChain(declaration, project)) {
    // That of a class lists the tools of its bases too.
    manifest ??= inheritedManifest(owner, declaration, project);
    for (const member of owner.members) {
      const name = member.name === undefined ? undefined : memberName(member.name);
      const decorator = coreDecorator(member, "Tool", project);
      const [, second] = decoratorsOf(member, project).filter(({ name: of, package: from }) => of === "Tool" && from === corePackage);
      if (second !== undefined) project.error(second.node, subjectOf(owner, member), twoDecorators);
      const known = manifest?.tools.find(({ method }) => method === name);
      if (decorator === undefined && known === undefined) continue;
      const override = name === undefined ? undefined : overridden.get(name);
      if (override !== undefined) warnOfOverride(override, owner, declaration, project);
      else if (!tools.some((tool) => tool.method === name)) {
        const problem = known === undefined ? memberProblem(member) : undefined;
        const place = project.isEditable(owner.getSourceFile()) ? (member.name ?? member) : (heritageOf(declaration) ?? declaration);
        // Whatever else it may be was refused just now.
        if (problem === undefined) tools.push({ method: name ?? "", declaration: member as ts.MethodDeclaration, decorator, known, place });
        else project.error(place, subjectOf(owner, member), problem);
      }
    }
    for (const member of owner.members) {
      const name = member.name === undefined ? undefined : memberName(member.name);
      if (name === undefined || hasModifier(member, ts.SyntaxKind.StaticKeyword)) continue;
      if (!tools.some((tool) => tool.method === name) && !overridden.has(name)) overridden.set(name, member);
    }
  }
  return tools;
}

/** A name known at build time. */
export function memberName(name: ts.PropertyName): string | undefined {
  return ts.isIdentifier(name) || ts.isStringLiteralLike(name) || ts.isPrivateIdentifier(name) ? name.text : undefined;
}

function subjectOf(owner: ts.ClassLikeDeclaration, member: ts.ClassElement): string {
  return `${owner.name?.text ?? "(class without a name)"}.${member.name?.getText() ?? "(member)"}`;
}

function warnOfOverride(override: ts.ClassElement, base: ts.ClassLikeDeclaration, owner: ts.ClassLikeDeclaration, project: Project): void {
  project.warn(override.name ?? override, subjectOf(owner, override), {
    code: "BUILD_LOST_TOOL",
    reason: `It overrides a tool of ${base.name?.text ?? "its base class"} without @Tool, so ${owner.name?.text ?? "this class"} does not offer that tool.`,
    fix: "Put @Tool above the override to keep the tool, or rename the method.",
  });
}

const twoDecorators: ProblemText = {
  reason: "The method has two @Tool decorators, and only one of them would count.",
  fix: "Put all options into one.",
};

/** What keeps a decorated member from being a tool. */
function memberProblem(member: ts.ClassElement): ProblemText | undefined {
  if (ts.isPropertyDeclaration(member) || ts.isAutoAccessorPropertyDeclaration(member)) {
    return { reason: "@Tool is for methods, and this is a property.", fix: "Write it as a method: `name(parameters) { … }`." };
  }
  if (ts.isAccessor(member)) return { reason: "@Tool is for methods, and this is an accessor.", fix: "Write it as a method." };
  if (!ts.isMethodDeclaration(member)) return { reason: "@Tool is for methods.", fix: "Move it to a method." };
  if (member.name !== undefined && ts.isPrivateIdentifier(member.name)) return notPublic("#private");
  for (const [kind, word] of [
    [ts.SyntaxKind.PrivateKeyword, "private"],
    [ts.SyntaxKind.ProtectedKeyword, "protected"],
  ] as const) {
    if (hasModifier(member, kind)) return notPublic(word);
  }
  if (hasModifier(member, ts.SyntaxKind.StaticKeyword)) {
    return { reason: "A static method cannot be a tool: tools are called on an instance.", fix: "Take `static` away." };
  }
  if (memberName(member.name) === undefined) {
    return { reason: "A method with a computed name cannot be a tool.", fix: "Give it a plain name." };
  }
  if (member.body === undefined) {
    return { reason: "A method without a body cannot be a tool.", fix: "Put @Tool above the method that implements it." };
  }
  if (member.asteriskToken !== undefined) {
    return {
      reason: "A generator cannot be a tool: its result would never be read.",
      fix: "Return an array, or use `context.progress()` on the way.",
    };
  }
  return undefined;
}

function notPublic(word: string): ProblemText {
  return { reason: `A ${word} method cannot be a tool: the kernel calls it from outside.`, fix: "Make it public." };
}
