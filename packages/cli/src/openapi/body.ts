import type { References } from "./flat-schema.js";
import { isObject, type JsonObject, objectAt } from "./json.js";
import { isJson } from "./parameter.js";
import { Unsayable } from "./unsayable.js";

/** The body of a request. */
export interface BodyPlan {
  readonly schema: unknown;
  readonly required: boolean;
  readonly description: string;
  /** How it is written. */
  readonly as: "json" | "form" | "text";
  readonly mediaType: string;
}

/**
 * The body that an operation takes, in the form that JSON says best.
 *
 * @returns undefined when it takes none.
 * @throws Unsayable when it takes only forms that arguments cannot say, such as files.
 */
export function bodyOf(operation: JsonObject, references: References): BodyPlan | undefined {
  if (operation["requestBody"] === undefined) return undefined;
  const body = references.resolve(operation["requestBody"]);
  const description = typeof body["description"] === "string" ? body["description"] : "";
  const plan = { required: body["required"] === true, description };
  const contents = Object.entries(objectAt(body, "content"));
  const schemaOf = (content: unknown): unknown => (isObject(content) ? content["schema"] : undefined);
  const json = contents.find(([type]) => isJson(type)) ?? contents.find(([type]) => type === "*/*");
  if (json !== undefined)
    return { ...plan, schema: schemaOf(json[1]), as: "json", mediaType: json[0] === "*/*" ? "application/json" : json[0] };
  const form = contents.find(([type]) => type.startsWith("application/x-www-form-urlencoded"));
  if (form !== undefined) return { ...plan, schema: flatForm(schemaOf(form[1]), references), as: "form", mediaType: form[0] };
  const text = contents.find(([type]) => type.startsWith("text/"));
  if (text !== undefined) return { ...plan, schema: { type: "string" }, as: "text", mediaType: text[0] };
  const types = contents.map(([type]) => type).join(", ");
  throw new Unsayable(types === "" ? "its content has no type" : `its content is ${types}, which arguments in JSON cannot say`);
}

/** A form has texts by name, and nothing deeper. */
function flatForm(schema: unknown, references: References): unknown {
  for (const [name, property] of Object.entries(objectAt(references.flat(schema), "properties"))) {
    if (references.flat(property)["type"] === "object") throw new Unsayable("a form holds no objects", name);
  }
  return schema;
}
