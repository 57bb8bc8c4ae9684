import type { DecodePlan } from "../contracts/schema.js";

/** Drops references to definitions that need no decoding, and what is then empty. */
export function prunePlan(plan: DecodePlan | undefined, defs: ReadonlyMap<string, DecodePlan | undefined>): DecodePlan | undefined {
  const needed = new Set<string>();
  // A definition may need decoding only because one that it refers to does: until nothing is added.
  for (let size = -1; size !== needed.size;) {
    size = needed.size;
    for (const [name, def] of defs) if (prune(def, needed) !== undefined) needed.add(name);
  }
  const kept = [...needed].map((name) => [name, prune(defs.get(name), needed)] as const);
  const root = prune(plan, needed);
  if (root === undefined || kept.length === 0) return root;
  return { ...root, defs: Object.fromEntries(kept.filter((entry): entry is readonly [string, DecodePlan] => entry[1] !== undefined)) };
}

function prune(plan: DecodePlan | null | undefined, needed: ReadonlySet<string>): DecodePlan | undefined {
  if (plan === undefined || plan === null) return undefined;
  if (plan.ref !== undefined) return needed.has(plan.ref) ? plan : undefined;
  const items = prune(plan.items, needed);
  const anyOf = plan.anyOf?.map((branch) => prune(branch, needed) ?? null);
  const properties = Object.entries(plan.properties ?? {}).flatMap(([name, child]) => {
    const kept = prune(child, needed);
    return kept === undefined ? [] : [[name, kept] as const];
  });
  const pruned: DecodePlan = {
    ...(plan.optional !== undefined && { optional: plan.optional }),
    ...(properties.length > 0 && { properties: Object.fromEntries(properties) }),
    ...(items !== undefined && { items }),
    ...(anyOf?.some((branch) => branch !== null) === true && { anyOf }),
  };
  return Object.keys(pruned).length > 0 ? pruned : undefined;
}
