import type { JsonValue } from "../contracts/json.js";
import type { DecodePlan, SchemaNode } from "../contracts/schema.js";
import type { Check, SchemaScope } from "./schema-scope.js";

/** Compiles an array. A hole counts as nothing received. */
export function compileArray(scope: SchemaScope, node: SchemaNode, plan: DecodePlan | undefined, path: string): Check {
  if (node.items === undefined) throw scope.broken(path, 'an array without "items" takes anything');
  const check = scope.compile(scope, node.items, plan?.items, `${path}[]`);
  const { minItems = 0, maxItems = Infinity } = node;
  return (value, report) => {
    const source = value as readonly unknown[];
    if (source.length < minItems) report.add(`at least ${minItems} item${minItems === 1 ? "" : "s"}`, `${source.length}`);
    if (source.length > maxItems) return report.add(`at most ${maxItems} item${maxItems === 1 ? "" : "s"}`, `${source.length}`);
    if (!report.enter()) return null;
    const copy: JsonValue[] = [];
    for (let index = 0; index < source.length && !report.full; index += 1) {
      const before = report.count;
      copy.push(check(source[index], report));
      if (report.count !== before) report.under(String(index), before);
    }
    report.leave();
    return Object.freeze(copy);
  };
}
