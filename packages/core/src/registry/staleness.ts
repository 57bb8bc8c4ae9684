import { decoratedMethods, toolOptions } from "../authoring/metadata.js";
import type { ToolkitManifest, ToolManifest } from "../contracts/manifest.js";

type Class = abstract new (...parameters: never[]) => object;
type Options = Readonly<Record<string, unknown>>;

/**
 * In what a class differs from what was built of it, as far as the running code can tell: its tools, their options and
 * how many parameters they take. Types and doc comments are gone by then; `toolwright build --check` compares those.
 *
 * @returns a phrase such as "the method add has @Tool but was not built"; undefined when nothing differs.
 */
export function staleness(toolkit: Class, manifest: ToolkitManifest): string | undefined {
  const built = new Set(manifest.tools.map((tool) => tool.method));
  const decorated = decoratedMethods(toolkit);
  const added = decorated.find((method) => !built.has(method));
  if (added !== undefined) return `the method ${added} has @Tool but was not built`;
  const removed = [...built].find((method) => !decorated.includes(method));
  if (removed !== undefined) return `the method ${removed} was built but has no @Tool any more`;
  for (const tool of manifest.tools) {
    const changed = changedOption(tool, toolOptions(toolkit, tool.method));
    if (changed !== undefined) return `the option \`${changed}\` of ${tool.method} has changed`;
    const taken = parameterCount(toolkit, tool.method);
    // Fewer are no sign: parameters with defaults and rest parameters are not counted.
    if (taken > tool.call.length) return `the method ${tool.method} takes ${taken} parameters, and was built with ${tool.call.length}`;
  }
  return undefined;
}

const same: Readonly<Record<string, (tool: ToolManifest, given: unknown) => boolean>> = {
  name: (tool, given) => given === undefined || tool.name === given || tool.name.endsWith(`_${String(given)}`),
  // Without one, the doc comment is the description, which is not there at run time.
  description: (tool, given) => typeof given !== "string" || given.trim() === tool.description,
  effect: (tool, given) => tool.effect === given,
  resource: (tool, given) => isEqual(tool.resource, typeof given === "string" ? [given] : given),
  timeoutMs: (tool, given) => tool.timeoutMs === given,
  idempotent: (tool, given) => tool.idempotent === given,
  approval: ({ approval }, given) => (typeof approval === "object" ? approval.method : approval) === given,
  query: (tool, given) => tool.query?.method === given,
  compensate: (tool, given) => tool.compensate?.method === given,
  maxCalls: (tool, given) => tool.maxCalls === given,
  echo: (tool, given) => isEqual(tool.echo, given),
  tags: (tool, given) => isEqual(tool.tags, given),
};

function changedOption(tool: ToolManifest, options: Options): string | undefined {
  return Object.keys(same).find((option) => same[option]?.(tool, options[option]) === false);
}

const isEqual = (built: unknown, given: unknown): boolean => JSON.stringify(built) === JSON.stringify(given);

function parameterCount(toolkit: Class, method: string): number {
  const found = (toolkit.prototype as Options)[method];
  return typeof found === "function" ? found.length : 0;
}
