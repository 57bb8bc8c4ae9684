import type { Item } from "@toolwright/core";
import { ApiError } from "../api-error.js";
import { isRecord, type JsonRecord } from "../json-record.js";
import type { InputEntry } from "./input.js";

/**
 * A call of a function that a search has loaded names its namespace: by its bare name there is no such function, unless the
 * request offers one from the start.
 */
export function checkNamespaces(tools: unknown, previous: readonly Item[], entries: readonly InputEntry[]): void {
  const outputs = [...previous, ...entries.map(({ item }) => item)].filter(({ type }) => type === "tool_search_output");
  if (outputs.length === 0) return;
  const loaded = new Set(outputs.flatMap((item) => namesIn(item["tools"])));
  const eager = new Set(records(tools).flatMap((tool) => (tool["defer_loading"] === true ? [] : [String(tool["name"])])));
  for (const { item, place } of entries) {
    if (item.type !== "function_call" || item["namespace"] !== undefined) continue;
    const name = String(item["name"]);
    if (!loaded.has(name) || eager.has(name)) continue;
    throw new ApiError(
      `Missing namespace for function_call '${name}'. It does not exist in the default namespace. Round-trip the model's function_call item with its namespace field included.`,
      { param: `${place}.namespace` },
    );
  }
}

const records = (list: unknown): readonly JsonRecord[] => (Array.isArray(list) ? (list as readonly unknown[]).filter(isRecord) : []);

const namesIn = (tools: unknown): readonly string[] =>
  records(tools).flatMap((tool) => [String(tool["name"]), ...records(tool["tools"]).map((member) => String(member["name"]))]);
