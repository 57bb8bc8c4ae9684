import type { JsonObject } from "../contracts/json.js";
import type { DecodePlan, ObjectSchema, SchemaNode } from "../contracts/schema.js";
import type { CheckedArguments } from "../contracts/tool.js";
import { compileArray } from "./check-array.js";
import { MixedCheck } from "./check-mixed.js";
import { compileObject } from "./check-object.js";
import { compileScalar, plainScalar } from "./check-scalar.js";
import { compileUnion } from "./check-union.js";
import { declaredTypes } from "./json-type.js";
import { Report } from "./report.js";
import { SchemaScope, type NodeCheck } from "./schema-scope.js";
import { ARRAY, bitsNamed, OBJECT } from "./type-bits.js";

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
export function compileArguments(schema: ObjectSchema, plan: DecodePlan | undefined, owner?: string): ArgumentsChecker {
  return checkerOf(scopeOf(schema, plan, owner));
}

/** What checker and decoder of one tool share. */
export function scopeOf(schema: ObjectSchema, plan: DecodePlan | undefined, owner = "the tool"): SchemaScope {
  return new SchemaScope(schema, plan, owner, compileNode);
}

/** The check of the scope's schema. */
export function checkerOf(scope: SchemaScope): ArgumentsChecker {
  let root: NodeCheck | undefined;
  return {
    check(value) {
      root ??= compileNode(scope, scope.schema, scope.plan);
      const report = new Report();
      const copy = root.check(value, report);
      // The root schema is an object: without issues the copy is one.
      return report.count === 0 ? { ok: true, arguments: copy as JsonObject } : { ok: false, issues: report.issues() };
    },
  };
}

function compileNode(scope: SchemaScope, node: SchemaNode, plan: DecodePlan | undefined): NodeCheck {
  let isPlain = true;
  for (const keyword in node) {
    if (keyword === "type" || keyword === "description") continue;
    if (node[keyword as keyof SchemaNode] === undefined) continue;
    if (!KEYWORDS.has(keyword)) throw scope.broken(node, `the keyword "${keyword}" is outside the strict subset`);
    isPlain = false;
  }
  if (node.$ref !== undefined || node.anyOf !== undefined) {
    // Finds cycles without anything in between, which a check would follow for ever.
    scope.bits(node);
    return node.$ref !== undefined ? scope.reference(node, node.$ref, plan) : compileUnion(scope, node, plan);
  }
  return (isPlain ? plainScalar(node.type) : undefined) ?? compileTyped(scope, node, plan);
}

function compileTyped(scope: SchemaScope, node: SchemaNode, plan: DecodePlan | undefined): NodeCheck {
  const bits = typeBits(scope, node);
  if (bits === OBJECT && node.enum === undefined) return compileObject(scope, node, plan);
  if (bits === ARRAY && node.enum === undefined) return compileArray(scope, node, plan);
  const scalar = compileScalar(scope, node, bits);
  if ((bits & (ARRAY | OBJECT)) === 0) return scalar;
  return new MixedCheck(node, {
    scalar,
    array: (bits & ARRAY) === 0 ? undefined : compileArray(scope, node, plan),
    object: (bits & OBJECT) === 0 ? undefined : compileObject(scope, node, plan),
  });
}

function typeBits(scope: SchemaScope, node: SchemaNode): number {
  const types = declaredTypes(node);
  if (types.length === 0) throw scope.broken(node, 'it has no "type" and takes anything');
  let bits = 0;
  for (let index = 0; index < types.length; index += 1) {
    const named = bitsNamed(types[index] as string);
    if (named === undefined) throw scope.broken(node, `the type "${types[index]}" does not exist`);
    bits |= named;
  }
  return bits;
}
