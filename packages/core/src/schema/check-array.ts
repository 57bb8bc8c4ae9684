import type { JsonValue } from "../contracts/json.js";
import type { DecodePlan, SchemaNode } from "../contracts/schema.js";
import { expectedOf, received } from "./json-type.js";
import type { Report } from "./report.js";
import type { NodeCheck, SchemaScope } from "./schema-scope.js";

/** Compiles an array. */
export function compileArray(scope: SchemaScope, node: SchemaNode, plan: DecodePlan | undefined): NodeCheck {
  if (node.items === undefined) throw scope.broken(node, 'an array without "items" takes anything');
  return new ArrayCheck(node, scope.compile(scope, node.items, plan?.items));
}

class ArrayCheck implements NodeCheck {
  private readonly minItems: number;
  private readonly maxItems: number;

  constructor(
    private readonly node: SchemaNode,
    private readonly items: NodeCheck,
  ) {
    this.minItems = node.minItems ?? 0;
    this.maxItems = node.maxItems ?? Infinity;
  }

  check(value: unknown, report: Report): JsonValue {
    if (!Array.isArray(value)) return report.add(expectedOf(this.node), received(value));
    const { length } = value;
    if (length < this.minItems) report.add(`at least ${counted(this.minItems)}`, `${length}`);
    if (length > this.maxItems) return report.add(`at most ${counted(this.maxItems)}`, `${length}`);
    if (!report.enter()) return null;
    const copy: JsonValue[] = [];
    for (let index = 0; index < length && !report.full; index += 1) {
      const before = report.count;
      // A hole counts as nothing received.
      copy.push(this.items.check(value[index], report));
      if (report.count !== before) report.under(String(index), before);
    }
    report.leave();
    return Object.freeze(copy);
  }
}

function counted(count: number): string {
  return `${count} item${count === 1 ? "" : "s"}`;
}
