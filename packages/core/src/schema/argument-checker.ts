import type { DecodePlan, ObjectSchema } from "../contracts/schema.js";
import { checkerOf, scopeOf, type ArgumentsChecker } from "./compile-schema.js";
import { decoderOf, type ArgumentsDecoder } from "./decode-arguments.js";
import type { DtoClass } from "./make-instances.js";

/** Checks and decodes the arguments of one tool, from one schema. */
export type ArgumentChecker = ArgumentsChecker & ArgumentsDecoder;

/**
 * Check and decoder of one tool.
 *
 * @param classes - DTO classes by the keys that the plan uses
 * @param owner - names the tool in errors, e.g. `the tool "get_stock"`
 * @throws ToolwrightError TOOL_DEFINITION when the plan names a class that is not there
 */
export function argumentChecker(
  schema: ObjectSchema,
  plan: DecodePlan | undefined,
  classes: Readonly<Record<string, DtoClass>> = {},
  owner?: string,
): ArgumentChecker {
  const scope = scopeOf(schema, plan, owner);
  const { check } = checkerOf(scope);
  const { decode } = decoderOf(scope, classes);
  return { check, decode };
}
