import { MatchBudget } from "./bounded-expression.js";
import {
  type Constraint,
  type ConstraintArguments,
  type ConstraintMetadata,
  type MetadataStorage,
  type RuleMetadata,
  storageHolder,
} from "./validation-metadata.js";

/** A property whose value, or each element of it, is to be validated too. */
export interface NestedPart {
  readonly property: string;
  readonly value: object;
}

/** Constraints of class-validator that run an expression of the author's on the value. */
const MATCHING = new Set(["matches", "isUrl", "isEmail"]);

/** Stands for `@ValidateNested` among the constraints. */
const NESTED = Symbol("ValidateNested");

/**
 * class-validator's records, as it sees them when it validates for the kernel. Two rules differ from what is recorded: an
 * expression of the author's runs in bounded time; and `@ValidateNested` only notes its parts, for the kernel to validate one
 * by one: class-validator would go on to the last of a hundred thousand wrong elements, with an error for each.
 */
export class FlatRules {
  private readonly budget = new MatchBudget();
  private readonly recorded = new Map<unknown, readonly RuleMetadata[]>();
  private readonly constraints = new Map<unknown, ConstraintMetadata[]>();
  private parts: NestedPart[] = [];
  private refusals = new Map<string, string>();

  constructor(private readonly storage: MetadataStorage) {}

  /** The rules that are recorded for an object. A property called "constructor" does not hide its class. */
  of(object: object): readonly RuleMetadata[] {
    const Class = classOf(object);
    let rules = this.recorded.get(Class);
    if (rules === undefined) {
      rules = typeof Class === "function" ? this.storage.getTargetValidationMetadatas(Class, "", false, false) : [];
      this.recorded.set(Class, rules);
    }
    return rules;
  }

  /**
   * Lets class-validator validate one object, and tells what it found, which parts are left, and why a value was not tried,
   * by {@link refusalKey}.
   */
  async run<Found>(
    object: object,
    validate: () => Promise<Found>,
  ): Promise<{
    readonly found: Found;
    readonly parts: readonly NestedPart[];
    readonly refusals: ReadonlyMap<string, string>;
  }> {
    const parts = (this.parts = []);
    const refusals = (this.refusals = new Map());
    return { found: await this.withView(object, validate), parts, refusals };
  }

  /**
   * class-validator takes its storage from the global when it begins. So the global is another one until then, and the old
   * one again before any code of the author's runs.
   */
  private withView<Found>(object: object, validate: () => Found): Found {
    const restore = (): void => {
      storageHolder.classValidatorMetadataStorage = this.storage;
    };
    const view = Object.create(this.storage) as MetadataStorage;
    view.getTargetValidationMetadatas = () => {
      restore();
      return this.of(object).map(flat);
    };
    view.getTargetValidatorConstraints = (constraintCls) => this.constraintsOf(constraintCls);
    storageHolder.classValidatorMetadataStorage = view;
    try {
      return validate();
    } finally {
      restore();
    }
  }

  private constraintsOf(constraintCls: unknown): ConstraintMetadata[] {
    let known = this.constraints.get(constraintCls);
    if (known === undefined) {
      known =
        constraintCls === NESTED ? [this.nested()] : this.storage.getTargetValidatorConstraints(constraintCls).map(this.bounded, this);
      this.constraints.set(constraintCls, known);
    }
    return known;
  }

  private nested(): ConstraintMetadata {
    const validate = (value: unknown, { property }: ConstraintArguments): boolean => {
      if (value === undefined) return true;
      if (!isNestable(value)) return false;
      this.parts.push({ property, value });
      return true;
    };
    return { name: "nestedValidation", async: false, instance: { validate } };
  }

  private bounded(metadata: ConstraintMetadata): ConstraintMetadata {
    const { name, async, instance } = metadata;
    if (!MATCHING.has(name)) return metadata;
    const validate: Constraint["validate"] = (value, given) => {
      const answer = instance.validate(value, { ...given, constraints: this.boundAll(name, given.constraints ?? []) });
      const { refusal } = this.budget;
      if (refusal === undefined) return answer;
      this.budget.refusal = undefined;
      this.refusals.set(refusalKey(given.property, name), refusal);
      return false;
    };
    // The rest, such as its default message, is its own.
    return { name, async, instance: Object.assign(Object.create(instance) as Constraint, { validate }) };
  }

  private boundAll(name: string, constraints: readonly unknown[]): readonly unknown[] {
    const [first, ...others] = constraints;
    if (name === "matches" && typeof first === "string") {
      const [flags] = others;
      return [this.budget.bound(new RegExp(first, typeof flags === "string" ? flags : "")), ...others];
    }
    if (isExpression(first)) return [this.budget.bound(first), ...others];
    if (typeof first !== "object" || first === null) return constraints;
    // Options such as `host_whitelist` may list expressions.
    const bound = (each: unknown): unknown => (isExpression(each) ? this.budget.bound(each) : each);
    const options = Object.entries(first).map(([key, option]: [string, unknown]) => [
      key,
      Array.isArray(option) ? option.map(bound) : option,
    ]);
    return [Object.fromEntries(options), ...others];
  }
}

/** Names what a rule of a property refused. */
export function refusalKey(property: string, constraint: string): string {
  return `${constraint} of ${property}`;
}

function classOf(object: object): unknown {
  return (Object.getPrototypeOf(object) as { constructor?: unknown } | null)?.constructor;
}

/** class-validator calls the constraint of a rule once, for the value as a whole. */
function flat(rule: RuleMetadata): RuleMetadata {
  if (rule.type !== "nestedValidation") return rule;
  return { ...rule, ...{ type: "customValidation", constraintCls: NESTED, each: false, validateIf: undefined } };
}

/** Objects, and collections of them within each other. */
function isNestable(value: unknown): value is object {
  if (Array.isArray(value)) return value.every((item) => item === undefined || isNestable(item));
  return value instanceof Object;
}

function isExpression(value: unknown): value is RegExp {
  return Object.prototype.toString.call(value) === "[object RegExp]";
}
