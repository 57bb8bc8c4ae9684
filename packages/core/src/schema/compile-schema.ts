import type { JsonObject } from "../contracts/json.js";
import type { DecodePlan, ObjectSchema, SchemaNode } from "../contracts/schema.js";
import type { CheckedArguments } from "../contracts/tool.js";
import { compileArray } from "./check-array.js";
import { compileObject } from "./check-object.js";
import { compileNumberRules, compileStringRules } from "./check-scalar.js";
import { compileUnion } from "./check-union.js";
import { declaredTypes, expectedOf, isPlainObject, JSON_TYPES, received } from "./json-type.js";
import { Report } from "./report.js";
import { SchemaScope, type Check } from "./schema-scope.js";

/** The strict subset: what is sent is enforced, so a keyword that is not known here is not let pass. */
const KEYWORDS = new Set([
  ..."type description title enum properties required additionalProperties items minItems maxItems anyOf $ref $defs".split(" "),
  ..."pattern format minimum maximum exclusiveMinimum exclusiveMaximum multipleOf".split(" "),
]);

/** Checks arguments against one schema. */
export interface ArgumentsChecker {
  /**
   * Compares a value with the schema. The result is a frozen copy in the schema's key order, without absent optionals; the
   * value itself is never changed. A value that passed passes again, unchanged. At most 20 issues.
   *
   * @throws ToolwrightError TOOL_DEFINITION at the first call, when schema or plan are outside the strict subset
   */
  check(value: unknown): CheckedArguments;
}

/**
 * Makes the check of a tool's arguments from the very schema that is sent to the model. Nothing is compiled before the first
 * check, and nothing is generated as code.
 *
 * @param owner - names the tool in errors, e.g. `the tool "get_stock"`
 */
export function compileArguments(schema: ObjectSchema, plan: DecodePlan | undefined, owner = "the tool"): ArgumentsChecker {
  const scope = scopeOf(schema, plan, owner);
  let root: Check | undefined;
  return {
    check(value) {
      root ??= compileNode(scope, schema, plan, "");
      const report = new Report();
      const copy = root(value, report);
      // The root schema is an object: without issues the copy is one.
      return report.count === 0 ? { ok: true, arguments: copy as JsonObject } : { ok: false, issues: report.issues() };
    },
  };
}

const scopes = new WeakMap<ObjectSchema, SchemaScope[]>();

/** What checker and decoder of one tool share: made once for a schema and a plan. */
export function scopeOf(schema: ObjectSchema, plan: DecodePlan | undefined, owner: string): SchemaScope {
  const known = scopes.get(schema) ?? [];
  let scope = known.find((candidate) => candidate.plan === plan);
  if (scope === undefined) {
    scope = new SchemaScope(schema, plan, owner, compileNode);
    scopes.set(schema, [...known, scope]);
  }
  return scope;
}

function compileNode(scope: SchemaScope, node: SchemaNode, plan: DecodePlan | undefined, path: string): Check {
  for (const [keyword, value] of Object.entries(node)) {
    if (value !== undefined && !KEYWORDS.has(keyword)) throw scope.broken(path, `the keyword "${keyword}" is outside the strict subset`);
  }
  if (node.$ref !== undefined || node.anyOf !== undefined) {
    // Finds cycles without anything in between, which a check would follow for ever.
    scope.types(node, path);
    return node.$ref !== undefined ? scope.reference(node.$ref, plan, path) : compileUnion(scope, node, plan, path).check;
  }
  return compileTyped(scope, node, plan, path);
}

function compileTyped(scope: SchemaScope, node: SchemaNode, plan: DecodePlan | undefined, path: string): Check {
  const types = declaredTypes(node);
  const unknown = types.find((type) => !JSON_TYPES.has(type));
  if (types.length === 0) throw scope.broken(path, 'it has no "type" and takes anything');
  if (unknown !== undefined) throw scope.broken(path, `the type "${unknown}" does not exist`);
  const expected = expectedOf(node, () => undefined);
  const values = node.enum === undefined ? undefined : new Set<unknown>(node.enum);
  const refuse: Check = (value, report) => report.add(expected, received(value));
  const string = types.includes("string") ? (compileStringRules(scope, node, path) ?? same) : refuse;
  const numeric = compileNumberRules(node) ?? same;
  const number: Check = types.includes("number") ? finite(refuse, numeric) : types.includes("integer") ? whole(refuse, numeric) : refuse;
  const boolean = types.includes("boolean") ? same : refuse;
  const nothing = types.includes("null") ? same : refuse;
  const array = types.includes("array") ? compileArray(scope, node, plan, path) : refuse;
  const object = types.includes("object") ? compileObject(scope, node, plan, path) : refuse;
  const byType: Check = (value, report) => {
    switch (typeof value) {
      case "string":
        return string(value, report);
      case "number":
        return number(value, report);
      case "boolean":
        return boolean(value, report);
      case "object":
        if (value === null) return nothing(value, report);
        if (Array.isArray(value)) return array(value, report);
        return isPlainObject(value) ? object(value, report) : refuse(value, report);
      default:
        return refuse(value, report);
    }
  };
  if (values === undefined) return byType;
  return (value, report) => {
    const before = report.count;
    const copy = byType(value, report);
    if (report.count === before && !values.has(value)) report.add(expected, `another ${received(value)}`);
    return copy;
  };
}

const same: Check = (value) => value as ReturnType<Check>;

function finite(refuse: Check, rules: Check): Check {
  return (value, report) => (Number.isFinite(value) ? rules(value, report) : refuse(value, report));
}

function whole(refuse: Check, rules: Check): Check {
  return (value, report) => {
    if (Number.isInteger(value)) return rules(value, report);
    return Number.isFinite(value) ? report.add("integer", "a number with a fraction") : refuse(value, report);
  };
}
