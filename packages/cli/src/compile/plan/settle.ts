import { confusionOf, discriminatorOf } from "./confusable.js";
import type { ObjectPlan, PlanNode } from "./plan.js";
import * as refuse from "./refusals.js";
import { Unsupported } from "./unsupported.js";
import type { MetUnion, Walker } from "./walker.js";

/**
 * Puts the property first that tells the branches of each union apart: the model writes keys in the schema's order, and
 * the API refuses branches with the same first key, unless its literals differ.
 */
export function settleUnions(walker: Walker): void {
  const settled = new Map<ObjectPlan, string>();
  for (const union of walker.unions) {
    const nodes = union.plan.members.map(({ node }) => node);
    const branches = nodes.filter((node): node is ObjectPlan => node.kind === "object");
    walker.attempt(() => {
      refuseConfusion(nodes, union);
      if (branches.length > 1) settleBranches(branches, union, settled);
    });
  }
}

function settleBranches(branches: readonly ObjectPlan[], { at, text }: MetUnion, settled: Map<ObjectPlan, string>): void {
  const discriminator = discriminatorOf(branches);
  const candidates = branches.map((branch) => firstsOf(branch, settled));
  const hasRoom = discriminator !== undefined && candidates.every((names) => names.includes(discriminator));
  // Where another union has put another property first, different first keys do as well.
  const firsts = hasRoom ? branches.map(() => discriminator) : distinctFirsts(candidates);
  if (firsts === undefined) throw new Unsupported(at, refuse.sharedFirstKey(text));
  for (const [index, branch] of branches.entries()) {
    const first = firsts[index] ?? "";
    settled.set(branch, first);
    branch.properties = [...branch.properties].sort((one, other) => Number(other.name === first) - Number(one.name === first));
  }
}

/** The properties that may come first. Names that are whole numbers do so by themselves, in every object. */
function firstsOf(branch: ObjectPlan, settled: ReadonlyMap<ObjectPlan, string>): readonly string[] {
  const fixed = settled.get(branch);
  if (fixed !== undefined) return [fixed];
  const names = branch.properties.map(({ name }) => name);
  const [least] = names.filter((name) => /^(0|[1-9]\d{0,9})$/.test(name)).sort((one, other) => Number(one) - Number(other));
  return least === undefined ? names : [least];
}

/** What could be meant by two branches, and would become different things, is meant by none. */
function refuseConfusion(nodes: readonly PlanNode[], { at, text }: MetUnion): void {
  for (const [index, one] of nodes.entries()) {
    for (const other of nodes.slice(index + 1)) {
      const confusion = confusionOf(one, other);
      if (confusion === "date") throw new Unsupported(at, refuse.dateOrString);
      if (confusion === "class") throw new Unsupported(at, refuse.ambiguousBranches(text));
    }
  }
}

/** A first key for each branch that no other branch has first; undefined when there are none. */
function distinctFirsts(candidates: readonly (readonly string[])[]): readonly string[] | undefined {
  const ownerOf = new Map<string, number>();
  // Each branch takes its first free key, and others move on to their next one to make room.
  const place = (index: number, tried: Set<string>): boolean =>
    (candidates[index] ?? []).some((key) => {
      if (tried.has(key)) return false;
      tried.add(key);
      const owner = ownerOf.get(key);
      if (owner !== undefined && !place(owner, tried)) return false;
      ownerOf.set(key, index);
      return true;
    });
  if (!candidates.every((_, index) => place(index, new Set()))) return undefined;
  const firsts = new Map([...ownerOf].map(([key, index]) => [index, key]));
  return candidates.map((_, index) => firsts.get(index) ?? "");
}
