import type { Literal } from "../rules/rules.js";
import { isNull, type ObjectPlan, type PlanNode, type PropertyPlan } from "./plan.js";

/** Why a value may fit two branches of a union that make different things of it. */
export type Confusion = "date" | "class";

/** Deeper than a schema may be. */
const deepest = 12;

/**
 * Whether the same arguments may fit two types and then become different things: a Date or a text, an instance of one class
 * or of another. Where both make the same of them, it does not matter which one was meant.
 */
export function confusionOf(one: PlanNode, other: PlanNode, depth = 0): Confusion | undefined {
  if (depth > deepest || one === other) return undefined;
  if (one.kind === "union") return firstOf(one.members, ({ node }) => confusionOf(node, other, depth + 1));
  if (other.kind === "union") return confusionOf(other, one, depth);
  if (one.kind === "date" || other.kind === "date") return isText(one) || isText(other) ? "date" : undefined;
  if (one.kind === "array" && other.kind === "array") {
    const isOfOtherLength = one.length !== undefined && other.length !== undefined && one.length !== other.length;
    return isOfOtherLength ? undefined : confusionOf(one.items, other.items, depth + 1);
  }
  return one.kind === "object" && other.kind === "object" ? confusionOfObjects(one, other, depth) : undefined;
}

function confusionOfObjects(one: ObjectPlan, other: ObjectPlan, depth: number): Confusion | undefined {
  if (keysOf(one) !== keysOf(other) || discriminatorOf([one, other]) !== undefined) return undefined;
  if (one.dtoClass !== undefined || other.dtoClass !== undefined) return "class";
  return firstOf(one.properties, (property) => {
    const twin = other.properties.find(({ name }) => name === property.name);
    return twin === undefined ? undefined : confusionOf(property.node, twin.node, depth + 1);
  });
}

/** A required property that has literals of its own in every branch. */
export function discriminatorOf(branches: readonly ObjectPlan[]): string | undefined {
  const [first] = branches;
  return first?.properties.find(({ name }) => {
    const seen = new Set<Literal>();
    return branches.every((branch) => {
      const values = literalsOf(branch.properties.find((property) => property.name === name));
      return values !== undefined && values.every((value) => !seen.has(value) && seen.add(value));
    });
  })?.name;
}

function literalsOf(property: PropertyPlan | undefined): readonly Literal[] | undefined {
  return property?.node.kind === "literals" && !property.optional ? property.node.values : undefined;
}

const keysOf = ({ properties }: ObjectPlan): string =>
  properties
    .map(({ name }) => name)
    .sort()
    .join();

const isText = (node: PlanNode): boolean =>
  !isNull(node) &&
  ((node.kind === "leaf" && node.type === "string") ||
    (node.kind === "literals" && node.values.some((value) => typeof value === "string")));

function firstOf<Item>(items: readonly Item[], find: (item: Item) => Confusion | undefined): Confusion | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
