/** What class-validator's decorators recorded of one rule. */
export interface RuleMetadata {
  readonly type: string;
  readonly propertyName: string;
  /** Key into the constraints: the class that checks. */
  readonly constraintCls?: unknown;
}

/** What a constraint is told of the rule and of the object. */
export interface ConstraintArguments {
  readonly property: string;
  readonly constraints?: readonly unknown[] | undefined;
}

/** What checks a value for a rule. */
export interface Constraint {
  validate(value: unknown, given: ConstraintArguments): boolean | Promise<boolean>;
}

/** A constraint as it was recorded. */
export interface ConstraintMetadata {
  readonly name: string;
  readonly async: boolean;
  readonly instance: Constraint;
}

/** class-validator's records, by classes. */
export interface MetadataStorage {
  getTargetValidationMetadatas(target: unknown, schema: string, always: boolean, strictGroups: boolean): RuleMetadata[];
  getTargetValidatorConstraints(constraintCls: unknown): ConstraintMetadata[];
}

/**
 * All copies of class-validator keep their records in one global. Where it is missing no copy was ever imported, so the
 * package, which takes a fifth of a second to load, need not be either.
 */
export const storageHolder = globalThis as { classValidatorMetadataStorage?: MetadataStorage | undefined };

/** The rules that class-validator's decorators recorded on a class and its bases; empty for a class without any. */
export function validationRules(Class: unknown): readonly RuleMetadata[] {
  return storageHolder.classValidatorMetadataStorage?.getTargetValidationMetadatas(Class, "", false, false) ?? [];
}
