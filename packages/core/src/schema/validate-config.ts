import type { Issue } from "../contracts/schema.js";
import { loadClassValidator, missingPackage } from "./optional-package.js";
import { validationRules } from "./validation-metadata.js";

/** Runs class-validator on a configuration object whose class has its decorators. Issues name rules, never values. */
export async function validateConfig(config: object): Promise<readonly Issue[]> {
  if (validationRules(config.constructor).length === 0) return [];
  const validator = await loadClassValidator();
  if (validator === undefined) throw missingPackage("class-validator", config.constructor.name);
  const errors = await validator.validate(config, { whitelist: true, forbidNonWhitelisted: true });
  // Only the rules' names: their messages may quote the value, which may be a secret.
  return errors.map(({ property, constraints }) => ({ path: property, expected: Object.keys(constraints ?? {}).join(", "), received: "" }));
}
