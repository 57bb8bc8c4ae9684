import type { ObjectSchema, OutputManifest } from "@toolwright/core";
import { ts } from "typescript-json-schema";
import { constantOf } from "./constant.js";
import { coreDecorator, type FoundDecorator } from "./decorators.js";
import { docText } from "./doc-comments.js";
import { publicNameOf } from "./exports.js";
import { remarkOnProperty } from "./parameter-description.js";
import type { ObjectPlan } from "./plan/plan.js";
import { settleUnions } from "./plan/settle.js";
import { TypeWalker } from "./plan/walk.js";
import type { Project } from "./project.js";
import { buildSchema } from "./schema/build-schema.js";
import { apiLimits, limitProblems } from "./schema/limits.js";
import { notConstant } from "./tool-options.js";

/**
 * Makes the manifest of a class with `@Output`; undefined for other classes, and when something is wrong, which is
 * reported then. The schema follows the rules of `text.format`, which are those of a strict tool.
 */
export function compileOutput(
  declaration: ts.ClassLikeDeclaration,
  classKey: (declaration: ts.ClassDeclaration) => string,
  project: Project,
): OutputManifest | undefined {
  const decorator = coreDecorator(declaration, "Output", project);
  if (decorator === undefined) return undefined;
  const errorsBefore = project.errorCount;
  const className = publicNameOf(declaration, project) ?? "(class without a name)";
  const place = declaration.name ?? declaration;
  const { name = className, description = docText(declaration) } = readOptions(decorator, className, project);
  if (description === undefined) {
    project.warn(place, className, {
      code: "BUILD_NO_DESCRIPTION",
      reason: "The output has no description, so the model has only its name.",
      fix: 'Write a doc comment above the class, or `@Output("…")`: what the answer is, and what matters in it.',
    });
  }
  const problem = formProblem(declaration, name);
  if (problem !== undefined) {
    project.error(place, className, problem);
    return undefined;
  }
  const walker = new TypeWalker(project);
  const at = { subject: className, place };
  // A class has a symbol of its own.
  const type = project.checker.getDeclaredTypeOfSymbol(project.checker.getSymbolAtLocation(place) as ts.Symbol);
  const plan = walker.attempt(() => walker.type(type, at, undefined)) as ObjectPlan | undefined;
  settleUnions(walker);
  if (plan === undefined || project.errorCount > errorsBefore) return undefined;
  for (const property of plan.properties) remarkOnProperty(property, project);
  const planned = { properties: plan.properties, whole: { plan, description: undefined, at } };
  const built = buildSchema([type], planned, walker, classKey);
  if (built === undefined) return undefined;
  for (const text of limitProblems(built.parameters)) project.error(place, className, text);
  if (project.errorCount > errorsBefore) return undefined;
  // Said of the format, it need not be said of its schema.
  const { description: _, ...schema } = built.parameters;
  return { format: 1, className, name, description, schema: schema as ObjectSchema, decode: built.decode ?? {} };
}

function formProblem(declaration: ts.ClassLikeDeclaration, name: string): { reason: string; fix: string } | undefined {
  if (!ts.isClassDeclaration(declaration) || declaration.name === undefined)
    return { reason: "An output needs a name of its own.", fix: "Write it as `export class MyAnswer { … }`." };
  if ((declaration.typeParameters?.length ?? 0) > 0)
    return {
      reason: "An output cannot have type parameters: its schema would depend on them.",
      fix: `Export a class that names the types: \`@Output() export class MyAnswer extends ${declaration.name.text}<…> {}\`.`,
    };
  if (apiLimits.name.test(name)) return undefined;
  return {
    reason: `The name "${name}" is not accepted by the API: it must be 1 to 64 letters, digits, _ or -.`,
    fix: 'Give the output another one: `@Output({ name: "…" })`.',
  };
}

function readOptions(
  decorator: FoundDecorator,
  subject: string,
  project: Project,
): { readonly name?: string; readonly description?: string } {
  const { arguments: given } = decorator;
  if (given === undefined) {
    project.error(decorator.node, subject, {
      reason: "@Output is written without parentheses, so it gets the class in place of its options.",
      fix: "Write `@Output()`.",
    });
  }
  const [first] = given ?? [];
  if (first === undefined) return {};
  const constant = constantOf(first, project);
  if (constant === undefined) {
    project.error(first, subject, notConstant("The options are"));
    return {};
  }
  const options = typeof constant.value === "string" ? { description: constant.value } : constant.value;
  const entries = typeof options === "object" && options !== null ? Object.entries(options) : [];
  const isWrong = ([key, value]: [string, unknown]): boolean =>
    (key !== "name" && key !== "description") || typeof value !== "string" || value.trim() === "";
  if (entries.some(isWrong)) {
    project.error(first, subject, {
      reason: "The options of @Output are `name` and `description`, both texts.",
      fix: 'Write it like `@Output("A plan for one trip.")` or `@Output({ name: "trip_plan" })`.',
    });
    return {};
  }
  return Object.fromEntries(entries.map(([key, value]) => [key, String(value).trim()]));
}
