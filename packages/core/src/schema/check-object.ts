import type { JsonObject, JsonValue } from "../contracts/json.js";
import type { DecodePlan, SchemaNode } from "../contracts/schema.js";
import { listed } from "./issue-text.js";
import { expectedOf, isPlainObject, received } from "./json-type.js";
import type { Report } from "./report.js";
import type { NodeCheck, SchemaScope } from "./schema-scope.js";

const NO_PLAN: DecodePlan = {};
const NONE: readonly string[] = [];

/** Compiles a closed object. */
export function compileObject(scope: SchemaScope, node: SchemaNode, plan: DecodePlan = NO_PLAN): NodeCheck {
  const declared = node.properties;
  if (declared === undefined) throw scope.broken(node, 'an object without "properties" takes nothing');
  if (node.additionalProperties !== false) throw scope.broken(node, 'the object is open: "additionalProperties" must be false');
  const { optional = NONE, properties: plans } = plan;
  const names = Object.keys(declared);
  refuseUndeclared(scope, node, optional);
  if (plans !== undefined) refuseUndeclared(scope, node, Object.keys(plans));
  const checks: NodeCheck[] = [];
  for (let index = 0; index < names.length; index += 1) {
    const name = names[index] as string;
    if (name === "__proto__") throw scope.broken(node, 'a property may not be called "__proto__"');
    const inner = plans !== undefined && Object.hasOwn(plans, name) ? plans[name] : undefined;
    checks.push(scope.compile(scope, declared[name] as SchemaNode, inner));
  }
  return new ObjectCheck(scope, node, names, checks, presenceOf(scope, node, names, optional));
}

/** What the absence of a property means. */
type Presence = "required" | "optional" | "free";

/** For each property what its absence means; undefined when all are required, as in most objects. */
function presenceOf(
  scope: SchemaScope,
  node: SchemaNode,
  names: readonly string[],
  optional: readonly string[],
): readonly Presence[] | undefined {
  const { required = NONE } = node;
  if (optional.length === 0 && isSame(required, names)) return undefined;
  refuseUndeclared(scope, node, required);
  const [mayBeNull, mustBe] = [new Set(optional), new Set(required)];
  return names.map((name) => (mayBeNull.has(name) ? "optional" : mustBe.has(name) ? "required" : "free"));
}

function isSame(some: readonly string[], others: readonly string[]): boolean {
  if (some.length !== others.length) return false;
  for (let index = 0; index < some.length; index += 1) if (some[index] !== others[index]) return false;
  return true;
}

function refuseUndeclared(scope: SchemaScope, node: SchemaNode, names: readonly string[]): void {
  const unknown = names.find((name) => !Object.hasOwn(node.properties ?? {}, name));
  if (unknown !== undefined) throw scope.broken(node, `"${unknown}" is named but is no property`);
}

/** Names that are looked up one by one rather than in a table. */
const FEW = 8;
const hasOwn = Object.prototype.hasOwnProperty;

/**
 * The copy has its keys in the schema's order, so that equal arguments have equal JSON; absent optionals are left out. Only
 * own keys are read, and a key that is not declared is refused by name.
 */
class ObjectCheck implements NodeCheck {
  private table: ReadonlyMap<string, number> | undefined;
  private readonly required: number;

  constructor(
    private readonly scope: SchemaScope,
    private readonly node: SchemaNode,
    private readonly names: readonly string[],
    private readonly checks: readonly NodeCheck[],
    private readonly presence: readonly Presence[] | undefined,
  ) {
    this.required = presence === undefined ? names.length : presence.filter((each) => each === "required").length;
  }

  check(value: unknown, report: Report): JsonValue {
    if (!isPlainObject(value)) return report.add(expectedOf(this.node), received(value));
    if (!report.enter()) return null;
    const { names, presence } = this;
    const copy: Record<string, JsonValue> = {};
    let inOrder = true;
    let last = -1;
    let present = 0;
    // Several times faster than a list of the keys.
    for (const name in value) {
      if (!hasOwn.call(value, name)) continue;
      const item = value[name];
      // What JSON would leave out is not there.
      if (item === undefined) continue;
      // Models write keys in the schema's order, mostly without gaps: the next one is tried before the others.
      const index = names[last + 1] === name ? last + 1 : this.indexOf(name);
      if (index === -1) {
        report.add(this.rule(), "an unknown key", name);
        if (report.full) break;
        continue;
      }
      const absence = presence === undefined ? "required" : presence[index];
      if (absence === "required") present += 1;
      else if (absence === "optional" && item === null) continue;
      if (index < last) inOrder = false;
      last = index;
      const before = report.count;
      copy[name] = (this.checks[index] as NodeCheck).check(item, report);
      if (report.count === before) continue;
      report.under(name, before);
      if (report.full) break;
    }
    report.leave();
    if (present < this.required) this.addMissing(value, report);
    return Object.freeze(inOrder ? copy : this.reordered(copy));
  }

  private indexOf(name: string): number {
    if (this.names.length <= FEW) return this.names.indexOf(name);
    this.table ??= new Map(this.names.map((each, index) => [each, index]));
    return this.table.get(name) ?? -1;
  }

  private rule(): string {
    return this.names.length === 0 ? "no keys" : `only the keys ${listed(this.names, "and")}`;
  }

  private addMissing(value: Readonly<Record<string, unknown>>, report: Report): void {
    for (const [index, name] of this.names.entries()) {
      if (this.presence !== undefined && this.presence[index] !== "required") continue;
      if (hasOwn.call(value, name) && value[name] !== undefined) continue;
      report.add(
        expectedOf(this.node.properties?.[name] ?? {}, (ref) => this.scope.resolve(ref)),
        "nothing",
        name,
      );
    }
  }

  private reordered(copy: JsonObject): JsonObject {
    const ordered: Record<string, JsonValue> = {};
    for (const name of this.names) if (hasOwn.call(copy, name)) ordered[name] = copy[name] as JsonValue;
    return ordered;
  }
}
