import type { PackageManifest, ToolManifest } from "../contracts/manifest.js";
import { ToolwrightError } from "../errors/toolwright-error.js";

/**
 * Checks that a value is a package manifest of this release's form.
 *
 * @throws ToolwrightError `REGISTRY_MANIFEST` naming the package and the place.
 */
export function assertPackageManifest(value: unknown, name: string): asserts value is PackageManifest {
  const manifest = (typeof value === "object" && value !== null ? value : {}) as Partial<PackageManifest>;
  if (manifest.format !== 1) broken(name, `its format is ${JSON.stringify(manifest.format) ?? "missing"}, and this release reads format 1`);
  if (manifest.package !== name) broken(name, `it says that it belongs to ${JSON.stringify(manifest.package) ?? "nothing"}`);
  if (typeof manifest.version !== "string") broken(name, "it has no version");
  if (!Array.isArray(manifest.toolkits) || manifest.toolkits.length === 0) broken(name, "it has no toolkits");
  for (const [index, toolkit] of manifest.toolkits.entries()) {
    const place = `toolkits[${index}]`;
    if (typeof toolkit?.className !== "string") broken(name, `${place} has no className`);
    if (!Array.isArray(toolkit.tools)) broken(name, `${place} has no tools`);
    for (const [at, tool] of (toolkit.tools as readonly ToolManifest[]).entries()) assertTool(tool, name, `${place}.tools[${at}]`);
  }
}

function assertTool(tool: ToolManifest, name: string, place: string): void {
  if (typeof tool?.name !== "string" || !/^[a-zA-Z0-9_-]{1,64}$/.test(tool.name)) broken(name, `${place} has no name that the API takes`);
  if (typeof tool.description !== "string" || tool.description.trim() === "") broken(name, `${place} (${tool.name}) has no description`);
  if (typeof tool.method !== "string" || !Array.isArray(tool.call)) broken(name, `${place} (${tool.name}) names no method`);
  const { parameters } = tool;
  if (parameters?.type !== "object" || parameters.additionalProperties !== false || typeof parameters.properties !== "object") {
    broken(name, `${place} (${tool.name}) has no strict schema`);
  }
}

function broken(name: string, what: string): never {
  throw new ToolwrightError("REGISTRY_MANIFEST", `The manifest of ${name} cannot be used: ${what}.`, { details: { package: name } });
}
