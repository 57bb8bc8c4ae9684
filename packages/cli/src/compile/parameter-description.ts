import { ts } from "typescript-json-schema";
import { constantOf } from "./constant.js";
import { coreDecorator } from "./decorators.js";
import { docParameterText } from "./doc-comments.js";
import type { PropertyPlan } from "./plan/plan.js";
import type { Project } from "./project.js";
import { notConstant } from "./tool-options.js";
import { repeatsName } from "./vague.js";

/** The description of a method's parameter: from `@Param`, or else from the doc comment. */
export function parameterDescription(parameter: ts.ParameterDeclaration, subject: string, project: Project): string | undefined {
  const documented = docParameterText(parameter);
  const decorator = coreDecorator(parameter, "Param", project);
  if (decorator === undefined) return documented;
  if (project.config.options.experimentalDecorators !== true) {
    project.error(decorator.node, subject, {
      reason: "@Param needs `experimentalDecorators`: standard decorators know no parameters.",
      fix: 'Add "experimentalDecorators": true to `compilerOptions` in the tsconfig, or describe the parameter by `@param` in the doc comment.',
    });
  }
  const [given] = decorator.arguments ?? [];
  const text = given === undefined ? undefined : textOf(given, subject, project);
  if (text === undefined) return documented;
  if (documented !== undefined && documented !== text) {
    project.warn(decorator.node, subject, {
      code: "BUILD_TWO_DESCRIPTIONS",
      reason: "@Param and the doc comment describe the parameter differently; the model reads @Param.",
      fix: "Keep one of them.",
    });
  }
  return text;
}

function textOf(given: ts.Expression, subject: string, project: Project): string | undefined {
  const constant = constantOf(given, project);
  if (constant === undefined) {
    project.error(given, subject, notConstant("The description is"));
    return undefined;
  }
  const { value } = constant;
  const text = typeof value === "object" && value !== null ? (value as { description?: unknown }).description : value;
  return typeof text === "string" && text.trim() !== "" ? text.trim() : undefined;
}

/** Tells the author what to write where the model would read nothing, or only the name again. */
export function remarkOnProperty(property: PropertyPlan, project: Project): void {
  const { node, name, subject } = property;
  const description = property.description ?? (node.kind === "object" ? node.description : undefined);
  const place = placeOf(property);
  const where =
    ts.isParameter(place) || ts.isParameter(place.parent)
      ? '`@Param("…")` before it, or `@param` in the doc comment'
      : "a doc comment above it";
  if (description === undefined) {
    project.warn(place, subject, {
      code: "BUILD_NO_DESCRIPTION",
      reason: `\`${name}\` has no description, so the model has only its name.`,
      fix: `Say what it means, with an example where the form is not obvious: ${where}.`,
    });
  } else if (repeatsName(description, name)) {
    project.warn(place, subject, {
      code: "BUILD_VAGUE_DESCRIPTION",
      reason: `The description of \`${name}\` only repeats its name.`,
      fix: 'Say what it means, in which unit or form, and give an example: "Id of the order, e.g. A-17" rather than "The order id".',
    });
  }
}

/** The name rather than the type: that is where a description goes. */
function placeOf({ place }: PropertyPlan): ts.Node {
  const { parent } = place;
  return parent !== undefined && (ts.isPropertySignature(parent) || ts.isPropertyDeclaration(parent)) ? parent.name : place;
}
