import type { JsonObject, JsonValue } from "../contracts/json.js";
import type { ToolInfo } from "../contracts/tool.js";
import { canonicalJson } from "../schema/canonical-json.js";

const slot = /\{([^{}]+)\}/g;

/** The keys of the things a call works on: the tool's templates, filled from its arguments. */
export function resourceKeys(tool: ToolInfo, checked: JsonObject): readonly string[] {
  return tool.resource.map((template) => template.replace(slot, (_, path: string) => keyText(at(checked, path))));
}

/** Top-level arguments that a tool's keys are made of: a middleware may not change them. */
export function resourceArguments(tool: ToolInfo): readonly string[] {
  return tool.resource.flatMap((template) => [...template.matchAll(slot)].map((match) => (match[1] as string).split(".")[0] as string));
}

function at(value: JsonValue | undefined, path: string): JsonValue | undefined {
  let found: JsonValue | undefined = value;
  for (const name of path.split(".")) {
    if (typeof found !== "object" || found === null || Array.isArray(found) || !Object.hasOwn(found, name)) return undefined;
    found = (found as JsonObject)[name];
  }
  return found;
}

function keyText(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : canonicalJson(value);
}

/** What makes two calls the same write: tool and arguments. */
export function writeKey(tool: string, checked: JsonObject): string {
  return `${tool} ${canonicalJson(checked)}`;
}
