import type { JsonValue } from "../contracts/json.js";
import type { SchemaNode } from "../contracts/schema.js";
import { enumValues, hasValue, type EnumValues } from "./check-scalar.js";
import { expectedOf, isPlainObject, received } from "./json-type.js";
import type { Report } from "./report.js";
import type { NodeCheck } from "./schema-scope.js";

/** What a node that lists several types makes of each of them. */
export interface MixedParts {
  readonly scalar: NodeCheck;
  readonly array: NodeCheck | undefined;
  readonly object: NodeCheck | undefined;
}

/** Checks a node that takes arrays or objects beside other types, or that restricts them to an `enum`. */
export class MixedCheck implements NodeCheck {
  private readonly values: EnumValues | undefined;

  constructor(
    private readonly node: SchemaNode,
    private readonly parts: MixedParts,
  ) {
    this.values = node.enum === undefined ? undefined : enumValues(node.enum);
  }

  check(value: unknown, report: Report): JsonValue {
    const before = report.count;
    const { scalar, array, object } = this.parts;
    // The part for scalars refuses containers, in the words of the whole node.
    const part = Array.isArray(value) ? array : isPlainObject(value) ? object : undefined;
    const copy = (part ?? scalar).check(value, report);
    if (part !== undefined && this.values !== undefined && report.count === before && !hasValue(this.values, value)) {
      report.add(expectedOf(this.node), `another ${received(value)}`);
    }
    return copy;
  }
}
