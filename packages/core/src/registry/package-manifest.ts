import type { PackageManifest, ToolManifest } from "../contracts/manifest.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { configSchemaProblem } from "./config-schema.js";
import { detailsProblem } from "./manifest-details.js";
import { schemaProblem } from "./schema-problem.js";
import { isToolName, toolOptionsProblem } from "./tool-info.js";
import { visibleText } from "./visible-text.js";

const format = 1;

/**
 * Checks that a value is a package manifest of this release's form.
 *
 * @throws ToolwrightError `REGISTRY_MANIFEST` naming the package and the place.
 */
export function assertPackageManifest(value: unknown, name: string): asserts value is PackageManifest {
  const manifest = (typeof value === "object" && value !== null ? value : {}) as Partial<PackageManifest>;
  if (manifest.format !== format) throw otherFormat(name, manifest.format);
  if (manifest.package !== name) {
    throw broken(
      name,
      `it belongs to ${JSON.stringify(manifest.package) ?? "no package"}`,
      "Depend on the package, and allow it, by its own name.",
    );
  }
  if (typeof manifest.version !== "string") throw broken(name, "it has no version");
  const details = detailsProblem(manifest);
  if (details !== undefined) throw broken(name, details);
  if (!Array.isArray(manifest.toolkits)) throw broken(name, "it has no toolkits");
  const names = new Set<string>();
  const classNames = new Set<string>();
  for (const [index, toolkit] of manifest.toolkits.entries()) {
    const place = `toolkits[${index}]`;
    if (!isIdentifier(toolkit?.className)) throw broken(name, `${place} has no className`);
    if (classNames.has(toolkit.className)) throw broken(name, `two toolkits are named ${toolkit.className}`);
    classNames.add(toolkit.className);
    if (!Array.isArray(toolkit.tools)) throw broken(name, `${place} has no tools`);
    const methods = new Set<string>();
    for (const [at, tool] of (toolkit.tools as readonly ToolManifest[]).entries()) {
      assertTool(tool, name, `${place}.tools[${at}]`);
      if (names.has(tool.name)) throw broken(name, `two of its tools are named ${tool.name}`);
      names.add(tool.name);
      if (methods.has(tool.method)) throw broken(name, `two of its tools are ${toolkit.className}.${tool.method}`);
      methods.add(tool.method);
    }
  }
  if (names.size === 0) throw broken(name, "it has no tools");
}

function assertTool(tool: ToolManifest, name: string, place: string): void {
  if (!isToolName(tool?.name)) throw broken(name, `${place} has no name that the API takes`);
  if (typeof tool.description !== "string" || tool.description.trim() === "")
    throw broken(name, `${place} (${tool.name}) has no description`);
  if (!isMethodName(tool.method) || !Array.isArray(tool.call)) throw broken(name, `${place} (${tool.name}) names no method`);
  const { parameters } = tool;
  const isObject = typeof parameters?.properties === "object" && parameters.properties !== null;
  if (parameters?.type !== "object" || parameters.additionalProperties !== false || !isObject) {
    throw broken(name, `${place} (${tool.name}) has no strict schema`);
  }
}

// Both are part of a tool's identity, which is shown in messages and kept in states.
const isIdentifier = (value: unknown): boolean => typeof value === "string" && /^[\p{ID_Start}$_][\p{ID_Continue}$]{0,255}$/u.test(value);
const isMethodName = (value: unknown): boolean =>
  typeof value === "string" && (/^[\w$]{1,256}$/.test(value) || (value !== "" && value.length <= 256 && visibleText(value) === value));

/**
 * Checks what the kernel does with each tool of a manifest: options and schemas. A wrong one would fail calls, or be
 * refused by the API with every tool beside it.
 *
 * @throws ToolwrightError `REGISTRY_MANIFEST` naming the package, the tool and the place.
 */
export function assertUsable(manifest: PackageManifest): void {
  const { package: name, toolkits } = manifest;
  for (const tool of toolkits.flatMap(({ tools }) => tools)) {
    const problem = schemaProblem(tool.parameters, tool.decode) ?? toolOptionsProblem(tool, tool.parameters)?.[0];
    if (problem !== undefined) throw broken(name, `the tool ${tool.name}: ${problem}`);
  }
  const config = configSchemaProblem(manifest);
  if (config !== undefined) throw broken(name, config);
}

/** The message of an error without its `Fix:` line. */
export const firstLine = (error: unknown): string => String((error as { message?: unknown } | null)?.message).split("\n")[0] as string;

function otherFormat(name: string, found: unknown): ToolwrightError {
  if (typeof found !== "number") return broken(name, `its format is ${JSON.stringify(found) ?? "missing"}`);
  const fix = found > format ? "Update @toolwright/core." : undefined;
  return broken(name, `its format is ${found}, and this release of @toolwright/core reads ${format}`, fix);
}

function broken(name: string, what: string, fix?: string): ToolwrightError {
  return new ToolwrightError("REGISTRY_MANIFEST", `The manifest of ${name} cannot be used: ${visibleText(what)}.`, {
    ...(fix !== undefined && { fix }),
    details: { package: name },
  });
}
