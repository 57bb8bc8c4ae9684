/** What class-validator's decorators recorded of one rule. */
export interface RuleMetadata {
  readonly type: string;
  readonly propertyName: string;
}

interface MetadataStorage {
  getTargetValidationMetadatas(target: unknown, schema: string, always: boolean, strictGroups: boolean): RuleMetadata[];
}

/**
 * The rules that class-validator's decorators recorded on a class and its bases; empty for a class without any.
 *
 * All copies of class-validator keep their records in one global. Where it is missing no copy was ever imported, so the
 * package, which takes a fifth of a second to load, need not be either.
 */
export function validationRules(Class: unknown): readonly RuleMetadata[] {
  const storage = (globalThis as { classValidatorMetadataStorage?: MetadataStorage }).classValidatorMetadataStorage;
  return storage?.getTargetValidationMetadatas(Class, "", false, false) ?? [];
}
