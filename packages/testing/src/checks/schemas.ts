import { ApiError, emptyString, invalidValue, missingParameter } from "../api-error.js";
import { isRecord, type JsonRecord } from "../json-record.js";
import { checkStrictSchema } from "../strict-schema.js";
import { checkShape } from "./shape.js";

const topLevel = "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.";

const invalidParameters = (name: unknown, place: string, message: string): ApiError =>
  new ApiError(`Invalid schema for function '${String(name)}': ${message}`, {
    param: `${place}.parameters`,
    code: "invalid_function_parameters",
  });

/** Refuses a schema that breaks the strict subset if `strict` is true, and one that is no object schema in any case. */
export function checkToolSchema(tool: JsonRecord, place: string): void {
  const { name, parameters } = tool;
  if (tool["strict"] === true) {
    const [problem] = checkStrictSchema(parameters ?? {});
    if (problem !== undefined) throw invalidParameters(name, place, problem.message);
  }
  if (!isRecord(parameters)) return;
  const combined = ["oneOf", "anyOf", "allOf", "enum", "not"].some((keyword) => Object.hasOwn(parameters, keyword));
  if (parameters["type"] !== "object" || combined) throw invalidParameters(name, place, topLevel);
}

/**
 * What the response says about a tool's strictness. Left open by the request, the API makes the schema strict where it can;
 * this server does not rewrite schemas, so it says true only for those that are strict as they are.
 */
export const effectiveStrict = (tool: JsonRecord): boolean =>
  typeof tool["strict"] === "boolean" ? tool["strict"] : checkStrictSchema(tool["parameters"] ?? {}).length === 0;

/** Refuses a `text` parameter whose format is unknown or whose schema breaks the strict subset. */
export function checkTextFormat(text: unknown): void {
  if (!isRecord(text)) return;
  checkShape(
    text,
    { format: { type: "object" }, verbosity: { type: "string", nullable: true, values: ["low", "medium", "high"] } },
    "text",
  );
  const format = text["format"];
  if (!isRecord(format)) return;
  const types = ["text", "json_object", "json_schema"];
  if (typeof format["type"] !== "string" || !types.includes(format["type"])) throw invalidValue("text.format.type", format["type"], types);
  if (format["type"] !== "json_schema") return;
  for (const field of ["name", "schema"]) {
    if (!Object.hasOwn(format, field)) throw missingParameter(`text.format.${field}`);
  }
  checkShape(
    format,
    {
      type: { type: "string" },
      name: { type: "string", maxLength: 64 },
      schema: { type: "object" },
      strict: { type: "boolean", nullable: true },
      description: { type: "string" },
    },
    "text.format",
  );
  checkFormatName(String(format["name"]));
  if (format["strict"] !== true) return;
  const [problem] = checkStrictSchema(format["schema"]);
  if (problem === undefined) return;
  const message = `Invalid schema for response_format '${String(format["name"])}': ${problem.message}`;
  throw new ApiError(message, { param: "text.format.schema", code: "invalid_json_schema" });
}

function checkFormatName(name: string): void {
  if (name === "") throw emptyString("text.format.name");
  if (/^[a-zA-Z0-9_-]+$/.test(name)) return;
  const message =
    "Invalid 'text.format.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.";
  throw new ApiError(message, { param: "text.format.name", code: "invalid_value" });
}
