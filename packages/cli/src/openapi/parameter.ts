import type { References } from "./flat-schema.js";
import { isObject, type JsonObject, listAt, objectAt, textAt } from "./json.js";
import { Unsayable } from "./unsayable.js";

/** Where the API takes an argument, and how it is written there. */
export type Placement =
  | { readonly in: "path" | "header"; readonly name: string }
  | { readonly in: "query"; readonly name: string; readonly style: "repeat" | "," | " " | "|" | "deep" | "json" };

/** A parameter of an operation. */
export interface ParameterPlan {
  readonly place: Placement;
  readonly schema: unknown;
  readonly required: boolean;
  readonly description: string;
}

/** A parameter that is no argument: the key by which the API recognises a repeated request. */
export const isIdempotencyKey = ({ place }: Pick<ParameterPlan, "place">): boolean =>
  place.in === "header" && place.name.toLowerCase() === "idempotency-key";

/** Headers that a request has of its own; parameters of these names mean nothing (OpenAPI, "Parameter Object"). */
const ownHeaders = ["accept", "content-type", "authorization"];

/** The parameters of an operation, with those of its path: a later one of the same name and place counts. */
export function parametersOf(path: JsonObject, operation: JsonObject, references: References): readonly JsonObject[] {
  const byPlace = new Map<string, JsonObject>();
  for (const each of [...listAt(path, "parameters"), ...listAt(operation, "parameters")]) {
    const parameter = references.resolve(each);
    byPlace.set(`${String(parameter["in"])} ${String(parameter["name"])}`, parameter);
  }
  return [...byPlace.values()].filter(({ in: place, name }) => !(place === "header" && ownHeaders.includes(String(name).toLowerCase())));
}

/** @throws Unsayable for a place or a style that generated code does not write. */
export function planParameter(parameter: JsonObject, references: References): ParameterPlan {
  const { name, required, description } = parameter;
  if (typeof name !== "string") throw new Unsayable("it has no name");
  const content = Object.entries(objectAt(parameter, "content"))[0];
  const schema = parameter["schema"] ?? (isObject(content?.[1]) ? content[1]["schema"] : undefined);
  const plan = {
    schema,
    required: required === true || parameter["in"] === "path",
    description: typeof description === "string" ? description : "",
  };
  if (content !== undefined) {
    if (parameter["in"] !== "query" || !isJson(content[0])) throw new Unsayable(`it is written as ${content[0]}`);
    return { ...plan, place: { in: "query", name, style: "json" } };
  }
  return { ...plan, place: placeOf(parameter, name, kindOf(references.flat(schema))) };
}

function placeOf(parameter: JsonObject, name: string, kind: "list" | "object" | "plain"): Placement {
  const style = textAt(parameter, "style");
  const explode = parameter["explode"];
  switch (parameter["in"]) {
    case "path":
    case "header":
      if (kind === "object" || (style !== undefined && style !== "simple"))
        throw new Unsayable(`it is written in the style ${style ?? "of an object"}`);
      return { in: parameter["in"], name };
    case "query":
      return { in: "query", name, style: queryStyle(style ?? "form", explode, kind) };
    default:
      throw new Unsayable(`it is in the ${String(parameter["in"])}`);
  }
}

function queryStyle(style: string, explode: unknown, kind: "list" | "object" | "plain"): "repeat" | "," | " " | "|" | "deep" {
  if (style === "deepObject") return "deep";
  if (kind === "object") throw new Unsayable(`it is an object in the style ${style}`);
  const separators: Readonly<Record<string, "," | " " | "|">> = { form: ",", spaceDelimited: " ", pipeDelimited: "|" };
  const separator = separators[style];
  if (separator === undefined) throw new Unsayable(`it is written in the style ${style}`);
  const isExploded = explode ?? style === "form";
  return isExploded === true ? "repeat" : separator;
}

function kindOf(flat: JsonObject): "list" | "object" | "plain" {
  const types = Array.isArray(flat["type"]) ? (flat["type"] as unknown[]) : [flat["type"]];
  if (types.includes("object") || flat["properties"] !== undefined) return "object";
  return types.includes("array") ? "list" : "plain";
}

export const isJson = (mediaType: string): boolean => /^application\/([\w.+-]+\+)?json\b/i.test(mediaType);
