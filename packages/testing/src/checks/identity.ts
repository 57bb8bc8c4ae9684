import type { Item } from "@toolwright/core";
import { ApiError, emptyString, tooLong } from "../api-error.js";
import { itemPrefix } from "../ids.js";
import type { Store } from "../store.js";
import type { InputEntry } from "./input.js";

const maximumId = 64;

/** Refuses ids of a wrong kind, and ids that are there twice, be it in the input or in what the server keeps already. */
export function checkIdentity(previous: readonly Item[], entries: readonly InputEntry[], store: Store): void {
  const seen = new Set<string>();
  for (const item of previous) if (typeof item["id"] === "string") seen.add(item["id"]);
  for (const { item, place } of entries) {
    const id = item["id"];
    if (typeof id !== "string") continue;
    checkId(id, item.type, `${place}.id`, store);
    if (seen.has(id)) {
      throw new ApiError(`Duplicate item found with id ${id}. Remove duplicate items from your input and try again.`, { param: "input" });
    }
    seen.add(id);
  }
}

function checkId(id: string, type: string, param: string, store: Store): void {
  // What the server itself made up, e.g. to act like another provider, it takes back.
  if (store.issued(id) !== undefined) return;
  if (id === "") throw emptyString(param);
  if (id.length > maximumId) throw tooLong(param, maximumId, id.length);
  const prefix = itemPrefix(type);
  if (prefix !== undefined && !id.startsWith(prefix)) {
    throw new ApiError(`Invalid '${param}': '${id}'. Expected an ID that begins with '${prefix}'.`, { param, code: "invalid_value" });
  }
}
