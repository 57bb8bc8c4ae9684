import type { ObjectSchema, SchemaNode } from "@toolwright/core";
import type { FoundTool } from "./find-tools.js";
import type { PropertyPlan } from "./plan/plan.js";
import type { Project, ProblemText } from "./project.js";
import type { ReadToolOptions } from "./tool-options.js";

/** Checks what `resource` and `echo` say about the arguments. */
export function checkArgumentNames(
  tool: FoundTool,
  options: ReadToolOptions,
  properties: readonly PropertyPlan[],
  schema: ObjectSchema,
  subject: string,
  project: Project,
): void {
  const report = (option: string, text: ProblemText): void => project.error(options.places.get(option) ?? tool.place, subject, text);
  const names = properties.map(({ name }) => name);
  for (const template of options.resource ?? []) {
    const problem = templateProblem(template, properties, schema);
    if (problem !== undefined) report("resource", problem);
  }
  for (const name of options.echo ?? []) {
    if (!names.includes(name)) report("echo", unknownArgument("echo", name, names));
  }
}

function templateProblem(template: string, properties: readonly PropertyPlan[], schema: ObjectSchema): ProblemText | undefined {
  const names = properties.map(({ name }) => name);
  if (/[{}]/.test(template.replaceAll(/\{[^{}]+\}/g, ""))) {
    return { reason: `The braces of the resource "${template}" do not match.`, fix: 'Write it like "order:{orderId}".' };
  }
  for (const [, name = ""] of template.matchAll(/\{([^{}]+)\}/g)) {
    const property = properties.find((each) => each.name === name);
    const node = schema.properties[name];
    if (property === undefined || node === undefined) return unknownArgument("resource", name, names);
    if (property.optional) {
      return {
        reason: `The resource "${template}" names \`${name}\`, which may be absent: then the key would not be the one of the same thing named outright.`,
        fix: `Make \`${name}\` required, or use a resource without it.`,
      };
    }
    if (!isScalar(node))
      return {
        reason: `The resource "${template}" names \`${name}\`, which is no text, number or boolean.`,
        fix: "Name a parameter that identifies the thing.",
      };
  }
  return undefined;
}

function isScalar({ type, anyOf }: SchemaNode): boolean {
  if (anyOf !== undefined) return anyOf.every(isScalar);
  const types = typeof type === "string" ? [type] : (type ?? []);
  return types.length > 0 && types.every((each) => ["string", "number", "integer", "boolean"].includes(each));
}

const unknownArgument = (option: string, name: string, names: readonly string[]): ProblemText => ({
  reason: `\`${option}\` names \`${name}\`, which is no argument of the tool.`,
  fix: names.length === 0 ? `The tool has no arguments; leave \`${option}\` out.` : `Its arguments are ${names.join(", ")}.`,
});
