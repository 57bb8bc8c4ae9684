import type { DecodePlan, ObjectSchema } from "../contracts/schema.js";
import { isPlainObject } from "./json-type.js";
import { standardJsonSchema, standardRefine, type Refine } from "./standard-schema.js";
import { StrictContext } from "./strict-context.js";
import { beyondLimits } from "./strict-limits.js";
import { convertNode } from "./strict-node.js";
import { prunePlan } from "./strict-plan.js";

/** What `defineTool` needs of its `parameters`. */
export interface StrictParameters {
  readonly schema: ObjectSchema;
  readonly plan: DecodePlan | undefined;
  /** Present when the parameters come from a schema library: run it on decoded arguments, and give the tool its output. */
  readonly refine: Refine | undefined;
}

/**
 * Makes a strict schema of plain JSON Schema, or of anything with a Standard JSON Schema interface (Zod 4.2 and later,
 * Valibot, ArkType). Objects are closed, optional properties become nullable and are named in the plan, `const` becomes
 * `enum`, lengths become patterns; annotations go, defaults move into descriptions. Whatever else would change its meaning is
 * refused.
 *
 * @param tool - name of the tool, for errors
 * @param owner - what the schema is, for errors
 * @throws ToolwrightError TOOL_DEFINITION naming the place, the reason and the way out
 */
export function strictFromJsonSchema(source: unknown, tool: string, owner = `The parameters of the tool "${tool}"`): StrictParameters {
  const refine = standardRefine(source);
  const raw = standardJsonSchema(source, tool) ?? source;
  const context = new StrictContext(isPlainObject(raw) ? raw : {}, owner, refine !== undefined, convertNode);
  const root = convertNode(context, raw, "");
  const { description: _, ...bare } = root.schema;
  const defs = [...context.defs].map(([name, { schema }]) => [name, schema] as const);
  // A node at the root is an object, or convertNode has thrown.
  const schema = { ...bare, ...(defs.length > 0 && { $defs: Object.fromEntries(defs) }) } as ObjectSchema;
  const beyond = beyondLimits(schema);
  if (beyond !== undefined) throw context.refuse("", beyond, "Make it smaller, or split the tool.");
  return { schema, plan: prunePlan(root.plan, new Map([...context.defs].map(([name, { plan }]) => [name, plan]))), refine };
}
