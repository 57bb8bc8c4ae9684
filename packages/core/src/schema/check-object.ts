import type { JsonObject, JsonValue } from "../contracts/json.js";
import type { DecodePlan, SchemaNode } from "../contracts/schema.js";
import { listed } from "./issue-text.js";
import { expectedOf } from "./json-type.js";
import type { Check, SchemaScope } from "./schema-scope.js";

interface Property {
  readonly name: string;
  readonly check: Check;
  /** Its null means "absent". */
  readonly optional: boolean;
  /** Missing altogether is wrong. */
  readonly required: boolean;
  readonly expected: string;
}

/**
 * Compiles a closed object. The copy has its keys in the schema's order, so that equal arguments have equal JSON; absent
 * optionals are left out. Only own keys are read, and a key that is not declared is refused by name.
 */
export function compileObject(scope: SchemaScope, node: SchemaNode, plan: DecodePlan | undefined, path: string): Check {
  const properties = compileProperties(scope, node, plan, path);
  const byName = new Map(properties.map((property, index) => [property.name, index]));
  const unknownKey =
    properties.length === 0
      ? "no keys"
      : `only the keys ${listed(
          properties.map(({ name }) => name),
          "and",
        )}`;
  const requiredCount = properties.filter(({ required }) => required).length;
  return (value, report) => {
    if (!report.enter()) return null;
    const source = value as Record<string, unknown>;
    const copy: Record<string, JsonValue> = {};
    let inOrder = true;
    let last = -1;
    let present = 0;
    for (const name of Object.keys(source)) {
      // Models write keys in the schema's order, mostly without gaps: the next one is tried before the table.
      const index = properties[last + 1]?.name === name ? last + 1 : (byName.get(name) ?? -1);
      const property = properties[index];
      const item = source[name];
      // What JSON would leave out is not there.
      if (item === undefined) continue;
      if (property === undefined) {
        report.add(unknownKey, "an unknown key", name);
        if (report.full) break;
        continue;
      }
      if (property.required) present += 1;
      if (item === null && property.optional) continue;
      if (index < last) inOrder = false;
      last = index;
      const before = report.count;
      copy[name] = property.check(item, report);
      if (report.count !== before) report.under(name, before);
      if (report.full) break;
    }
    report.leave();
    if (present < requiredCount) {
      for (const { name, required, expected } of properties) {
        if (required && (!Object.hasOwn(source, name) || source[name] === undefined)) report.add(expected, "nothing", name);
      }
    }
    return Object.freeze(inOrder ? copy : reordered(copy, properties));
  };
}

function compileProperties(scope: SchemaScope, node: SchemaNode, plan: DecodePlan | undefined, path: string): Property[] {
  const declared = node.properties ?? {};
  if (node.properties === undefined) throw scope.broken(path, 'an object without "properties" takes nothing');
  if (node.additionalProperties !== false) throw scope.broken(path, 'the object is open: "additionalProperties" must be false');
  const optional = new Set(plan?.optional);
  for (const name of [...optional, ...Object.keys(plan?.properties ?? {}), ...(node.required ?? [])]) {
    if (!Object.hasOwn(declared, name)) throw scope.broken(path, `"${name}" is named but is no property`);
  }
  const required = new Set(node.required);
  return Object.entries(declared).map(([name, child]) => {
    if (name === "__proto__") throw scope.broken(path, 'a property may not be called "__proto__"');
    const childPlan = plan?.properties !== undefined && Object.hasOwn(plan.properties, name) ? plan.properties[name] : undefined;
    return {
      name,
      check: scope.compile(scope, child, childPlan, path === "" ? name : `${path}.${name}`),
      optional: optional.has(name),
      required: required.has(name) && !optional.has(name),
      expected: expectedOf(child, (ref) => scope.resolve(ref)),
    };
  });
}

function reordered(copy: JsonObject, properties: readonly Property[]): JsonObject {
  const ordered: Record<string, JsonValue> = {};
  for (const { name } of properties) if (Object.hasOwn(copy, name)) ordered[name] = copy[name] as JsonValue;
  return ordered;
}
