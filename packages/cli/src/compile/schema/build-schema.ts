import type { DecodePlan, ObjectSchema } from "@toolwright/core";
import type { ts } from "typescript-json-schema";
import type { PlannedParameters } from "../parameters.js";
import type { PropertyPlan } from "../plan/plan.js";
import type { TypeWalker } from "../plan/walk.js";
import { type BuiltSchema, decodeOf, type MutableSchema } from "./mutable-schema.js";
import { pruneDecode } from "./prune-decode.js";
import { type RawSchema, rawSchemas } from "./raw-schema.js";
import { Unsupported } from "../plan/unsupported.js";
import { Strictifier } from "./strictify.js";

/** The schema of a tool's arguments, and how they are decoded. */
export interface ParametersSchema {
  readonly parameters: ObjectSchema;
  readonly decode?: DecodePlan | undefined;
}

/**
 * Makes the schema of planned parameters.
 *
 * @param types - of the parameters, in the same order.
 * @param classKey - gives a class the key under which the generated module registers it.
 * @returns undefined when something could not be made, which is reported then.
 */
export function buildSchema(
  types: readonly ts.Type[],
  { whole, properties }: PlannedParameters,
  walker: TypeWalker,
  classKey: (declaration: ts.ClassDeclaration) => string,
): ParametersSchema | undefined {
  const errorsBefore = walker.project.errorCount;
  const strictifier = new Strictifier(walker, classKey);
  const root = walker.attempt(() => {
    const raws = readRaw(types, properties, walker);
    if (whole === undefined) return byName(properties, raws, strictifier, walker);
    const [raw] = raws;
    const built = strictifier.object(whole.plan, raw?.node, { at: whole.at, raw });
    return whole.description === undefined ? built : { ...built, schema: { ...built.schema, description: whole.description } };
  });
  if (root === undefined || walker.project.errorCount > errorsBefore) return undefined;
  return withDefinitions(root, strictifier);
}

/** What typescript-json-schema cannot read is refused like everything else that has no certain schema. */
function readRaw(types: readonly ts.Type[], properties: readonly PropertyPlan[], walker: TypeWalker): readonly RawSchema[] {
  try {
    return rawSchemas(types, walker.project);
  } catch (error) {
    const [first] = properties;
    if (first === undefined || !(error instanceof Error)) throw error;
    throw new Unsupported(first, {
      reason: `typescript-json-schema cannot read the type: ${error.message}.`,
      fix: "Write the type out in a simpler form.",
    });
  }
}

function byName(
  properties: readonly PropertyPlan[],
  raws: readonly RawSchema[],
  strictifier: Strictifier,
  walker: TypeWalker,
): BuiltSchema {
  const schemas: Record<string, MutableSchema> = {};
  const decodes: Record<string, DecodePlan> = {};
  for (const [index, property] of properties.entries()) {
    walker.attempt(() => {
      const built = strictifier.property(property, raws[index]?.node, raws[index]);
      schemas[property.name] = built.schema;
      if (built.decode !== undefined) decodes[property.name] = built.decode;
    });
  }
  const optional = properties.filter((property) => property.optional).map(({ name }) => name);
  const schema: MutableSchema = { type: "object", properties: schemas, required: Object.keys(schemas), additionalProperties: false };
  return { schema, decode: decodeOf({ optional, properties: decodes, dto: undefined }) };
}

function withDefinitions({ schema, decode }: BuiltSchema, { definitions }: Strictifier): ParametersSchema {
  const built = [...definitions].flatMap(([plan, definition]) => (definition === "open" ? [] : [[plan.name, definition] as const]));
  const pruned = pruneDecode(decode, new Map(built.map(([name, definition]) => [name, definition.decode])));
  const $defs = Object.fromEntries(built.map(([name, definition]) => [name, definition.schema]));
  // The root of a plan is an object: `object()` and `byName()` make nothing else.
  const parameters = (built.length === 0 ? schema : { ...schema, $defs }) as ObjectSchema;
  return pruned === undefined ? { parameters } : { parameters, decode: pruned };
}
