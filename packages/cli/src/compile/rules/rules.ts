/** A value that one of TypeScript's literal types has. */
export type Literal = string | number | boolean;

/** Restrictions on a value, whatever they were written as. What a schema can not express is in `words`. */
export interface Rules {
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  readonly exclusiveMinimum?: number | undefined;
  readonly exclusiveMaximum?: number | undefined;
  readonly multipleOf?: number | undefined;
  readonly integer?: true | undefined;
  /** Fit for RE2: neither lookaround nor back-references. */
  readonly pattern?: string | undefined;
  readonly format?: string | undefined;
  readonly minLength?: number | undefined;
  readonly maxLength?: number | undefined;
  readonly minItems?: number | undefined;
  readonly maxItems?: number | undefined;
  /** The only values allowed. */
  readonly values?: readonly Literal[] | undefined;
  /** Sentences for the description. */
  readonly words?: readonly string[] | undefined;
  /** On each item of an array. */
  readonly items?: Rules | undefined;
}

export const noRules: Rules = {};

/** Both: the narrower of two bounds, the common values. A second pattern or format only adds to the words. */
export function mergeRules(one: Rules, other: Rules): Rules {
  if (one === noRules) return other;
  if (other === noRules) return one;
  const least = (key: "maximum" | "exclusiveMaximum" | "maxLength" | "maxItems"): number | undefined =>
    narrower(one[key], other[key], Math.min);
  const most = (key: "minimum" | "exclusiveMinimum" | "minLength" | "minItems"): number | undefined =>
    narrower(one[key], other[key], Math.max);
  const twoPatterns = one.pattern !== undefined && other.pattern !== undefined && one.pattern !== other.pattern;
  const words = [
    ...(one.words ?? []),
    ...(other.words ?? []),
    ...(twoPatterns ? [`Matches the regular expression /${String(other.pattern)}/.`] : []),
  ];
  return {
    minimum: most("minimum"),
    maximum: least("maximum"),
    exclusiveMinimum: most("exclusiveMinimum"),
    exclusiveMaximum: least("exclusiveMaximum"),
    multipleOf: one.multipleOf ?? other.multipleOf,
    integer: one.integer ?? other.integer,
    pattern: one.pattern ?? other.pattern,
    format: one.format ?? other.format,
    minLength: most("minLength"),
    maxLength: least("maxLength"),
    minItems: most("minItems"),
    maxItems: least("maxItems"),
    values: commonValues(one.values, other.values),
    words: [...new Set(words)],
    items: one.items === undefined || other.items === undefined ? (one.items ?? other.items) : mergeRules(one.items, other.items),
  };
}

function narrower(one: number | undefined, other: number | undefined, pick: (one: number, other: number) => number): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : pick(one, other);
}

function commonValues(one: readonly Literal[] | undefined, other: readonly Literal[] | undefined): readonly Literal[] | undefined {
  return one === undefined || other === undefined ? (one ?? other) : one.filter((value) => other.includes(value));
}
