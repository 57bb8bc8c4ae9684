import type { JsonSchema } from "@toolwright/core";
import type { ts } from "typescript-json-schema";
import type { ObjectPlan } from "../compile/plan/plan.js";
import { settleUnions } from "../compile/plan/settle.js";
import { TypeWalker } from "../compile/plan/walk.js";
import type { Project } from "../compile/project.js";
import { buildSchema } from "../compile/schema/build-schema.js";
import { plainSchema } from "./plain-schema.js";

/**
 * Plain JSON Schema of a configuration class: what its types and its class-validator decorators say. Undefined when not all
 * of it is data, such as a client that the app hands over: it is then checked by the class alone.
 */
export function configSchema(declaration: ts.ClassDeclaration | undefined, project: Project): JsonSchema | undefined {
  if (declaration?.name === undefined || (declaration.typeParameters?.length ?? 0) > 0) return undefined;
  // What no schema can say is no mistake here.
  const { result } = project.remarksOf(() => schemaOf(declaration, project));
  project.takeValidators();
  return result;
}

function schemaOf(declaration: ts.ClassDeclaration, project: Project): JsonSchema | undefined {
  const place = declaration.name ?? declaration;
  const walker = new TypeWalker(project);
  const at = { subject: place.getText(), place };
  // A class has a symbol of its own.
  const type = project.checker.getDeclaredTypeOfSymbol(project.checker.getSymbolAtLocation(place) as ts.Symbol);
  const plan = walker.attempt(() => walker.type(type, at, undefined)) as ObjectPlan | undefined;
  settleUnions(walker);
  if (plan?.kind !== "object" || project.errorCount > 0) return undefined;
  const planned = { properties: plan.properties, whole: { plan, description: undefined, at } };
  const built = buildSchema([type], planned, walker, (each) => each.name?.text ?? "");
  if (built === undefined || project.errorCount > 0) return undefined;
  return plainSchema(built.parameters, built.decode);
}
