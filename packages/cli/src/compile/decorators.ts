import { ts } from "typescript-json-schema";
import type { Project } from "./project.js";

/** The npm name that authoring decorators and contexts are recognised by. */
export const corePackage = "@toolwright/core";

/** A decorator with the package and name it really comes from, renamed imports and re-exports followed. */
export interface FoundDecorator {
  readonly node: ts.Decorator;
  /** As it is declared, e.g. `Tool`. */
  readonly name: string;
  /** Undefined when it is declared in the project itself. */
  readonly package: string | undefined;
  /** The arguments of the call; undefined when it is not called. */
  readonly arguments: readonly ts.Expression[] | undefined;
}

export function decoratorsOf(node: ts.Node, project: Project): readonly FoundDecorator[] {
  if (!ts.canHaveDecorators(node)) return [];
  return (ts.getDecorators(node) ?? []).map((decorator) => {
    const call = ts.isCallExpression(decorator.expression) ? decorator.expression : undefined;
    const symbol = project.symbolOf(call?.expression ?? decorator.expression);
    const declaration = symbol?.declarations?.[0];
    return {
      node: decorator,
      name: symbol?.name ?? decorator.expression.getText(),
      package: declaration === undefined ? undefined : project.packageOf(declaration),
      arguments: call?.arguments,
    };
  });
}

/** The first decorator of this name that `@toolwright/core` declares. */
export function coreDecorator(node: ts.Node, name: "Tool" | "Param" | "Toolkit" | "Output", project: Project): FoundDecorator | undefined {
  return decoratorsOf(node, project).find((decorator) => decorator.name === name && decorator.package === corePackage);
}
