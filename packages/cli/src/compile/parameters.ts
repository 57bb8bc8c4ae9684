import type { ToolManifest } from "@toolwright/core";
import { parameterDescription, remarkOnProperty } from "./parameter-description.js";
import { nullLeaf, type ObjectPlan, type PlanNode, type PropertyPlan } from "./plan/plan.js";
import type { At } from "./plan/unsupported.js";
import type { Walker } from "./plan/walker.js";
import { defaultWords } from "./rules/default-words.js";
import { documentedRules } from "./rules/doc-rules.js";
import { mergeRules } from "./rules/rules.js";
import type { ArgumentParameter, ReadSignature } from "./signature.js";

/** What the model fills: properties by name, or one object that is all of the arguments. */
export interface PlannedParameters {
  readonly properties: readonly PropertyPlan[];
  readonly whole: { readonly plan: ObjectPlan; readonly description: string | undefined; readonly at: At } | undefined;
}

/**
 * Plans the parameters of a tool. A method whose only parameter is a required object takes all arguments as that object.
 *
 * @param known - what is said of the tool elsewhere, when its source is not there.
 */
export function planParameters({ inputs }: ReadSignature, subject: string, walker: Walker, known?: ToolManifest): PlannedParameters {
  const planned = inputs.map((input) => ({ input, ...planParameter(input, subject, walker, known) }));
  const [only] = planned;
  if (only !== undefined && planned.length === 1 && !only.input.optional && !only.allowsUndefined && only.property.node.kind === "object") {
    const plan = only.property.node;
    for (const property of plan.properties) remarkOnProperty(property, walker.project);
    return { properties: plan.properties, whole: { plan, description: only.property.description, at: only.property } };
  }
  // One whose type was refused may be an object that takes all of the arguments, and needs no description then.
  for (const { property, isRefused } of planned) if (!isRefused) remarkOnProperty(property, walker.project);
  return { properties: planned.map(({ property }) => property), whole: undefined };
}

function planParameter(
  input: ArgumentParameter,
  subject: string,
  walker: Walker,
  known: ToolManifest | undefined,
): { readonly property: PropertyPlan; readonly allowsUndefined: boolean; readonly isRefused: boolean } {
  const { declaration, name } = input;
  const at: At = { subject: `${subject}(${name})`, place: input.place };
  const walked = walker.attempt(() => walker.value(input.type, at, declaration.type));
  const node = walked?.node ?? nullLeaf;
  const allowsUndefined = walked?.allowsUndefined ?? false;
  const description = parameterDescription(declaration, at.subject, walker.project) ?? known?.parameters.properties[name]?.description;
  const words = defaultWords(declaration.initializer, undefined, walker.project);
  const keepsNull = acceptsNull(node);
  if (keepsNull && words !== undefined) {
    walker.project.warn(walker.placeOf(declaration, at), at.subject, {
      code: "BUILD_LOST_DEFAULT",
      reason: "The type has a null of its own, so the model cannot ask for the default.",
      fix: "Take `null` out of the type, or leave the default out.",
    });
  }
  const documented = documentedRules(undefined, declaration.type, input.type, at, walker.project);
  const rules = words === undefined ? documented.rules : mergeRules(documented.rules, { words: [words] });
  const optional = (input.optional || allowsUndefined) && !keepsNull;
  return {
    property: { name, node, optional, description, rules, documented, subject: at.subject, place: walker.placeOf(declaration.name, at) },
    allowsUndefined,
    isRefused: walked === undefined,
  };
}

function acceptsNull(node: PlanNode): boolean {
  return (
    (node.kind === "leaf" && node.type === "null") || (node.kind === "union" && node.members.some((member) => acceptsNull(member.node)))
  );
}
