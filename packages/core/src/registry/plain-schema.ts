import type { DecodePlan, ObjectSchema, SchemaNode } from "../contracts/schema.js";
import { compilePattern } from "../schema/compile-pattern.js";
import { formats } from "../schema/formats.js";

// Far within the limits of the API, so that nothing has to be measured exactly.
const mostNodes = 200;
const mostLevels = 6;
const mostCharacters = 10_000;

/**
 * Whether a schema is surely fit for use: closed objects of plain values, as most tools have. One walk tells, where compiling
 * every schema of every installed package would take longer than reading them. `false` says nothing: look closer then.
 */
export function isPlainSchema(schema: ObjectSchema, plan: DecodePlan | undefined): boolean {
  return schema.type === "object" && new PlainWalk().node(schema, plan, 0);
}

const scalars = new Set(["string", "number", "integer", "boolean"]);

class PlainWalk {
  #nodes = 0;
  #characters = 0;

  object(node: SchemaNode, plan: DecodePlan | undefined, level: number): boolean {
    const { properties, required, additionalProperties } = node;
    if (level > mostLevels || additionalProperties !== false || !isRecord(properties) || !Array.isArray(required)) return false;
    if (!onlyHas(node, objectKeys) || !onlyHas(plan, planKeys)) return false;
    const names = Object.keys(properties);
    if (required.length !== names.length) return false;
    for (const [index, name] of names.entries()) {
      if (required[index] !== name || name === "__proto__") return false;
      this.#characters += name.length;
      if (!this.node(properties[name], ownPlan(plan, name), level)) return false;
    }
    const planned = [...(plan?.optional ?? []), ...Object.keys(plan?.properties ?? {})];
    return this.#characters <= mostCharacters && planned.every((name) => Object.hasOwn(properties, name));
  }

  node(node: SchemaNode | undefined, plan: DecodePlan | undefined, level: number): boolean {
    this.#nodes += 1;
    if (this.#nodes > mostNodes || !isRecord(node)) return false;
    const { type, description } = node;
    if (description !== undefined && typeof description !== "string") return false;
    if (node.anyOf !== undefined) return this.#objectOrNull(node, plan, level);
    const only = Array.isArray(type) && type.length === 2 && type[1] === "null" ? (type[0] as unknown) : type;
    if (only === "object") return this.object(node, plan, level + 1);
    if (only === "array") return this.#array(node, plan, level + 1);
    if (typeof only !== "string" || !scalars.has(only)) return false;
    if (plan !== undefined && !(only === "string" && onlyHas(plan, dateKeys) && plan.date === true && node.format === "date-time"))
      return false;
    return this.#scalar(node, only, only !== type);
  }

  /** What an optional object is. */
  #objectOrNull(node: SchemaNode, plan: DecodePlan | undefined, level: number): boolean {
    const { anyOf } = node;
    if (!onlyHas(node, unionKeys) || !onlyHas(plan, unionPlanKeys) || !Array.isArray(anyOf) || anyOf.length !== 2) return false;
    const [branch, none] = anyOf as readonly (SchemaNode | undefined)[];
    if (!isRecord(none) || none.type !== "null" || Object.keys(none).length !== 1 || branch?.type !== "object") return false;
    if (plan === undefined) return this.node(branch, undefined, level);
    const plans: unknown = plan.anyOf;
    if (!Array.isArray(plans) || plans.length > 2 || (plans[1] !== undefined && plans[1] !== null)) return false;
    return this.node(branch, (plans[0] as DecodePlan | null | undefined) ?? undefined, level);
  }

  #array(node: SchemaNode, plan: DecodePlan | undefined, level: number): boolean {
    if (level > mostLevels || !onlyHas(node, arrayKeys) || !onlyHas(plan, itemsKeys)) return false;
    return isCount(node.minItems) && isCount(node.maxItems) && this.node(node.items, plan?.items, level);
  }

  #scalar(node: SchemaNode, type: string, isNullable: boolean): boolean {
    const isNumber = type === "number" || type === "integer";
    if (!onlyHas(node, isNumber ? numberKeys : scalarKeys)) return false;
    const { enum: values, format, pattern } = node;
    if (format !== undefined && !(type === "string" && formats.has(format))) return false;
    if (pattern !== undefined && !(type === "string" && isPattern(pattern))) return false;
    if (values === undefined) return true;
    if (!Array.isArray(values) || values.length === 0 || values.length > mostNodes) return false;
    for (const value of values as readonly unknown[]) {
      if (!(value === null && isNullable) && typeof value !== (isNumber ? "number" : type)) return false;
      this.#characters += String(value).length;
    }
    return true;
  }
}

const common = ["type", "description"];
const objectKeys = new Set([...common, "properties", "required", "additionalProperties"]);
const arrayKeys = new Set([...common, "items", "minItems", "maxItems"]);
const unionKeys = new Set(["description", "anyOf"]);
const unionPlanKeys = new Set(["anyOf"]);
const scalarKeys = new Set([...common, "enum", "format", "pattern"]);
const numberKeys = new Set([...common, "enum", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]);
const planKeys = new Set(["optional", "properties", "dto"]);
const itemsKeys = new Set(["items"]);
const dateKeys = new Set(["date"]);

function ownPlan(plan: DecodePlan | undefined, name: string): DecodePlan | undefined {
  const plans = plan?.properties;
  return plans !== undefined && Object.hasOwn(plans, name) ? plans[name] : undefined;
}

// From JSON, so that null may stand where the types have none.
/** Tools share patterns, such as that of an order's number. */
const knownPatterns = new Set<string>();

function isPattern(pattern: unknown): boolean {
  if (typeof pattern !== "string") return false;
  if (knownPatterns.has(pattern)) return true;
  try {
    compilePattern(pattern);
  } catch {
    return false;
  }
  if (knownPatterns.size >= 1_000) knownPatterns.clear();
  knownPatterns.add(pattern);
  return true;
}

function onlyHas(node: object | null | undefined, keys: ReadonlySet<string>): boolean {
  if (node === null) return false;
  for (const key in node) if (!keys.has(key)) return false;
  return true;
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && !Array.isArray(value);
const isCount = (value: unknown): boolean => value === undefined || (Number.isInteger(value) && (value as number) >= 0);
