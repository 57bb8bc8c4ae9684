import type { ts } from "typescript-json-schema";
import type { Project } from "../project.js";
import type { DefinitionNames } from "./names.js";
import type { DefinablePlan, PlanNode, UnionPlan } from "./plan.js";
import type { At } from "./unsupported.js";

/** A value's plan, and whether the type also allows it to be absent. */
export interface WalkedValue {
  readonly node: PlanNode;
  readonly allowsUndefined: boolean;
}

/** A union that was met on the way, to be settled when all its members are known. */
export interface MetUnion {
  readonly plan: UnionPlan;
  readonly text: string;
  readonly at: At;
}

/** What the parts of the walk over types ask of the whole. */
export interface Walker {
  readonly project: Project;
  readonly names: DefinitionNames;
  readonly unions: MetUnion[];
  /** The plan of a parameter's or property's type, whose `undefined` means that it may be left out. */
  value(type: ts.Type, at: At, hint: ts.TypeNode | undefined): WalkedValue;
  /** @throws Unsupported at the first thing that no strict schema can say. */
  type(type: ts.Type, at: At, hint: ts.TypeNode | undefined): PlanNode;
  /**
   * Lets a plan be referred to while it is being made, and again later.
   *
   * @param reuse - false for what is cheaper to repeat, and then only known while it is open.
   */
  define<Plan extends DefinablePlan>(type: ts.Type, at: At, reuse: boolean, create: () => Plan, fill: (plan: Plan) => void): Plan;
  /** Runs a part; if it throws Unsupported, reports that and gives back undefined, so that the next part is looked at too. */
  attempt<Result>(part: () => Result): Result | undefined;
  /** The node itself if the author can see it, or else the nearest one that they can. */
  placeOf(node: ts.Node | undefined, at: At): ts.Node;
  /** A type as the author would write it, shortened. */
  text(type: ts.Type): string;
}
