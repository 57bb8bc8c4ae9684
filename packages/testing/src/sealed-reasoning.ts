import { createHmac } from "node:crypto";

// Not a secret: it only makes text that this package wrote tell itself apart from text that it did not.
const mark = (id: string): string => createHmac("sha256", "stand-in reasoning").update(id).digest("base64url");

/**
 * The `encrypted_content` of a reasoning item. It holds the item's id, as the API's does, so that any stand-in server can
 * verify it, also one started later.
 */
export const seal = (id: string): string => `gAAAAA${Buffer.from(JSON.stringify({ id, mark: mark(id) })).toString("base64url")}`;

/** The id that a sealed text belongs to; undefined for a text that `seal` did not make. */
export function unseal(text: string): string | undefined {
  if (!text.startsWith("gAAAAA")) return undefined;
  try {
    const content = JSON.parse(Buffer.from(text.slice(6), "base64url").toString()) as { id?: unknown; mark?: unknown };
    return typeof content.id === "string" && content.mark === mark(content.id) ? content.id : undefined;
  } catch {
    return undefined;
  }
}
