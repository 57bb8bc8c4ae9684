import type { PlanNode } from "../plan/plan.js";
import type { Accepts } from "./validators.js";

/** The kinds of value that a plan allows, null apart. */
export function kindsOf(node: PlanNode): ReadonlySet<Accepts> {
  switch (node.kind) {
    case "leaf":
      return new Set(node.type === "null" ? [] : [node.type]);
    case "literals":
      return new Set(node.values.map((value) => typeof value as Accepts));
    case "union":
      return new Set(node.members.flatMap((member) => [...kindsOf(member.node)]));
    default:
      return new Set([node.kind]);
  }
}
