import type { Item } from "../contracts/item.js";
import type { ModelResponse } from "../contracts/model.js";

/** The items of a reply; none of one that is no reply, which the kernel refuses in words of its own. */
export function replyItems({ output }: ModelResponse): readonly Item[] {
  return Array.isArray(output) && output.every((item) => typeof item === "object" && item !== null) ? output : [];
}
