import type { Literal } from "../rules/rules.js";
import type { ObjectPlan, PropertyPlan } from "./plan.js";
import * as refuse from "./refusals.js";
import { type At, Unsupported } from "./unsupported.js";
import type { MetUnion, Walker } from "./walker.js";

/**
 * Puts the property first that tells the branches of each union apart: the model writes keys in the schema's order, and
 * the API refuses branches with the same first key, unless its literals differ.
 */
export function settleUnions(walker: Walker): void {
  const settled = new Map<ObjectPlan, string>();
  for (const union of walker.unions) {
    const branches = union.plan.members.map(({ node }) => node).filter((node): node is ObjectPlan => node.kind === "object");
    if (branches.length > 1) walker.attempt(() => settleBranches(branches, union, settled));
  }
}

function settleBranches(branches: readonly ObjectPlan[], { at, text }: MetUnion, settled: Map<ObjectPlan, string>): void {
  const discriminator = discriminatorOf(branches);
  if (discriminator === undefined) refuseTwins(branches, text, at);
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

/** A required property that has literals of its own in every branch. */
function discriminatorOf(branches: readonly ObjectPlan[]): string | undefined {
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

/** Classes with the same properties could not be told apart when instances are made. */
function refuseTwins(branches: readonly ObjectPlan[], text: string, at: At): void {
  const classes = branches.filter(({ dtoClass }) => dtoClass !== undefined);
  const signatures = new Map(
    branches.map((branch) => [
      branch,
      branch.properties
        .map(({ name }) => name)
        .sort()
        .join(),
    ]),
  );
  const twin = classes.some((one) => branches.some((other) => other !== one && signatures.get(other) === signatures.get(one)));
  if (twin) throw new Unsupported(at, refuse.ambiguousBranches(text));
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
