import { ToolwrightError } from "../errors/toolwright-error.js";
import type { JsonObject } from "../contracts/json.js";
import type { DecodePlan, Issue, ObjectSchema } from "../contracts/schema.js";
import { scopeOf } from "./compile-schema.js";
import type { SchemaScope } from "./schema-scope.js";
import { copyDecoded, mutableCopy, type DecodedCopy } from "./copy-decoded.js";
import { makeInstances, type DtoClass } from "./make-instances.js";
import { loadClassTransformer, missingPackage } from "./optional-package.js";
import { validateInstances } from "./validate-instances.js";
import { validationRules } from "./validation-metadata.js";

/** The root object as the tool gets it, or what class-validator found wrong. */
export type DecodeResult = { readonly ok: true; readonly value: object } | { readonly ok: false; readonly issues: readonly Issue[] };

/** Decodes checked arguments. */
export interface ArgumentsDecoder {
  /**
   * Makes what the tool gets from checked arguments: fresh and mutable, Dates and DTO instances in place, validated. At once
   * when the plan names no DTO, else a promise.
   *
   * @throws ToolwrightError TOOL_MISSING_PACKAGE when a DTO has validators and a package is not installed; TOOL_DEFINITION
   * when a DTO's constructor or `@Transform` throws
   */
  decode(checked: JsonObject): DecodeResult | Promise<DecodeResult>;
}

/**
 * Makes the decoder of a tool's arguments.
 *
 * @param classes - DTO classes by the keys that the plan uses
 * @param owner - names the tool in errors, e.g. `the tool "get_stock"`
 * @throws ToolwrightError TOOL_DEFINITION when the plan names a class that is not there
 */
export function createDecoder(
  schema: ObjectSchema,
  plan: DecodePlan | undefined,
  classes: Readonly<Record<string, DtoClass>> = {},
  owner?: string,
): ArgumentsDecoder {
  return decoderOf(scopeOf(schema, plan, owner), classes);
}

/** The decoder of what the scope's schema lets pass. */
export function decoderOf(scope: SchemaScope, classes: Readonly<Record<string, DtoClass>>): ArgumentsDecoder {
  const { plan, owner } = scope;
  if (plan === undefined) return plainDecoder;
  const needs = { date: false, dtos: new Set<string>() };
  collectNeeds(plan, needs);
  for (const name of needs.dtos) {
    if (Object.hasOwn(classes, name) && typeof classes[name] === "function") continue;
    throw new ToolwrightError("TOOL_DEFINITION", `The class "${name}" of ${owner} was not registered.`, {
      fix: "Run `npx toolwright build`: the generated module imports the class and registers it.",
    });
  }
  if (!needs.date && needs.dtos.size === 0) return plainDecoder;
  return {
    decode(checked) {
      const copy = copyDecoded(scope, checked);
      if (copy.issues.length > 0) return { ok: false, issues: copy.issues };
      if (copy.sites.length === 0) return { ok: true, value: copy.value as object };
      return instances(copy, classes);
    },
  };
}

/** Of what has neither Dates nor DTOs: a copy. */
const plainDecoder: ArgumentsDecoder = { decode: (checked) => ({ ok: true, value: mutableCopy(checked) as object }) };

async function instances(copy: DecodedCopy, classes: Readonly<Record<string, DtoClass>>): Promise<DecodeResult> {
  const transformer = await loadClassTransformer();
  if (transformer === undefined) {
    // A class without decorators needs no package: its instance is its constructor and its keys.
    const decorated = copy.sites.find(({ dto }) => validationRules(classes[dto]).length > 0);
    if (decorated !== undefined) throw missingPackage("class-transformer", decorated.dto);
  }
  const { root, built } = makeInstances(copy.value, copy.sites, classes, transformer);
  const issues = await validateInstances(built);
  return issues.length > 0 ? { ok: false, issues } : { ok: true, value: root as object };
}

function collectNeeds(plan: DecodePlan | null | undefined, needs: { date: boolean; readonly dtos: Set<string> }): void {
  if (plan === undefined || plan === null) return;
  if (plan.date === true) needs.date = true;
  if (plan.dto !== undefined) needs.dtos.add(plan.dto);
  const inner = [plan.items, ...Object.values(plan.properties ?? {}), ...(plan.anyOf ?? []), ...Object.values(plan.defs ?? {})];
  for (const child of inner) collectNeeds(child, needs);
}
