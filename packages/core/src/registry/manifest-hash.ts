import type { ToolManifest } from "../contracts/manifest.js";

/** JSON whose keys have one order, whatever order they were set in; what is undefined is left out. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const entries = Object.entries(value).filter(([, child]) => child !== undefined);
  entries.sort(([left], [right]) => (left < right ? -1 : 1));
  return `{${entries.map(([key, child]) => `${JSON.stringify(key)}:${canonicalJson(child)}`).join(",")}}`;
}

/** SHA-256, in hexadecimal, of what the model reads of a tool: its description and its schema. */
export function toolHash({ description, parameters }: Pick<ToolManifest, "description" | "parameters">): string {
  const { createHash } = process.getBuiltinModule("node:crypto");
  return createHash("sha256").update(canonicalJson({ description, parameters })).digest("hex");
}
