import type { DecodePlan } from "@toolwright/core";

/** Leaves out references to definitions that need no decoding, whatever they refer to themselves. */
export function pruneDecode(
  decode: DecodePlan | undefined,
  definitions: ReadonlyMap<string, DecodePlan | undefined>,
): DecodePlan | undefined {
  const needed = new Set<string>();
  // A definition is needed when it decodes something itself, or refers to one that does.
  for (let size = -1; size !== needed.size;) {
    size = needed.size;
    for (const [name, plan] of definitions) if (plan !== undefined && prune(plan, needed) !== undefined) needed.add(name);
  }
  const root = decode === undefined ? undefined : prune(decode, needed);
  const used = [...definitions].filter(([name]) => needed.has(name));
  if (root === undefined || used.length === 0) return root;
  const plans = used.map(([name, plan]) => [name, plan === undefined ? {} : (prune(plan, needed) ?? {})] as const);
  return { ...root, defs: Object.fromEntries(plans) };
}

function prune(plan: DecodePlan, needed: ReadonlySet<string>): DecodePlan | undefined {
  const result: { -readonly [Key in keyof DecodePlan]: DecodePlan[Key] } = {};
  if (plan.optional !== undefined) result.optional = plan.optional;
  if (plan.date !== undefined) result.date = plan.date;
  if (plan.dto !== undefined) result.dto = plan.dto;
  if (plan.ref !== undefined && needed.has(plan.ref)) result.ref = plan.ref;
  const items = plan.items === undefined ? undefined : prune(plan.items, needed);
  if (items !== undefined) result.items = items;
  const branches = plan.anyOf?.map((branch) => (branch === null ? null : (prune(branch, needed) ?? null)));
  if (branches?.some((branch) => branch !== null)) result.anyOf = branches;
  const properties = Object.entries(plan.properties ?? {}).flatMap(([name, child]) => {
    const kept = prune(child, needed);
    return kept === undefined ? [] : [[name, kept] as const];
  });
  if (properties.length > 0) result.properties = Object.fromEntries(properties);
  return Object.keys(result).length === 0 ? undefined : result;
}
