import type { JsonValue } from "../contracts/json.js";
import type { SchemaNode } from "../contracts/schema.js";
import { expectedOf, received } from "./json-type.js";
import { NumberRules } from "./number-rules.js";
import type { Report } from "./report.js";
import type { NodeCheck, SchemaScope } from "./schema-scope.js";
import { StringRules } from "./string-rules.js";
import { bitsNamed, FRACTION, INTEGER, NULL, scalarBit, STRING } from "./type-bits.js";

/** Checks values that are no containers by their types alone. */
class TypeCheck implements NodeCheck {
  constructor(
    protected readonly node: SchemaNode,
    protected readonly bits: number,
  ) {}

  check(value: unknown, report: Report): JsonValue {
    return (scalarBit(value) & this.bits) === 0 ? this.refuse(value, report) : (value as JsonValue);
  }

  protected refuse(value: unknown, report: Report): null {
    if (scalarBit(value) === FRACTION && (this.bits & INTEGER) !== 0) return report.add("integer", "a number with a fraction");
    return report.add(expectedOf(this.node), received(value));
  }
}

/** Checks them by what else the node says, too. */
class RuledCheck extends TypeCheck {
  private readonly values: EnumValues | undefined;

  constructor(
    node: SchemaNode,
    bits: number,
    private readonly strings: StringRules | undefined,
    private readonly numbers: NumberRules | undefined,
  ) {
    super(node, bits);
    this.values = node.enum === undefined ? undefined : enumValues(node.enum);
  }

  override check(value: unknown, report: Report): JsonValue {
    if ((scalarBit(value) & this.bits) === 0) return this.refuse(value, report);
    const before = report.count;
    if (typeof value === "string") this.strings?.check(value, report);
    else if (typeof value === "number") this.numbers?.check(value, report);
    if (this.values !== undefined && report.count === before && !hasValue(this.values, value)) {
      report.add(expectedOf(this.node), `another ${received(value)}`);
    }
    return value as JsonValue;
  }
}

/** The values of an `enum`: a few are looked through, many looked up. */
export type EnumValues = readonly unknown[] | ReadonlySet<unknown>;

export function enumValues(values: readonly unknown[]): EnumValues {
  return values.length <= 16 ? values : new Set(values);
}

export function hasValue(values: EnumValues, value: unknown): boolean {
  return Array.isArray(values) ? values.includes(value) : (values as ReadonlySet<unknown>).has(value);
}

const TYPES = ["string", "integer", "number", "boolean", "null"] as const;
/** Most nodes of all schemas are one of these, so they are made once. */
const single = new Map<string, NodeCheck>(TYPES.map((type) => [type, new TypeCheck({ type }, bitsNamed(type) ?? 0)]));
const nullable = new Map<string, NodeCheck>(
  TYPES.map((type) => [type, new TypeCheck({ type: [type, "null"] }, (bitsNamed(type) ?? 0) | NULL)]),
);

/** Checks the scalars of a node that says nothing but its types; undefined for a rare combination of them. */
export function plainScalar(type: SchemaNode["type"]): NodeCheck | undefined {
  if (typeof type === "string") return single.get(type);
  return type?.length === 2 && type[1] === "null" ? nullable.get(type[0] as string) : undefined;
}

/** Compiles what a node says of scalars. */
export function compileScalar(scope: SchemaScope, node: SchemaNode, bits: number): NodeCheck {
  const strings = (bits & STRING) === 0 ? undefined : StringRules.of(scope, node);
  const numbers = (bits & (INTEGER | FRACTION)) === 0 ? undefined : NumberRules.of(node);
  return new RuledCheck(node, bits, strings, numbers);
}
