import { pathToFileURL } from "node:url";
import { type AgentTool, toolDefinitions, ToolwrightError } from "@toolwright/core";
import { nearestNames } from "../nearest-names.js";
import type { Callable } from "./find-callable.js";

/**
 * Finds a tool among those that a module exports as default: a list as an agent takes it, one entry of such a list, or a
 * function that gives either.
 *
 * @param path - absolute.
 * @throws ToolwrightError `RUN_OPTIONS` when the module cannot be imported, or has no such tool; `TOOL_…` for what is no tool.
 */
export async function callableIn(path: string, name: string): Promise<Callable> {
  const module = await imported(path);
  const exported: unknown = typeof module.default === "function" ? await (module.default as () => unknown)() : module.default;
  if (exported === undefined) {
    throw new ToolwrightError("RUN_OPTIONS", `${path} has no default export.`, {
      fix: "Write `export default [new MyTools(…)];`, or a function that gives such a list.",
    });
  }
  const tools = (Array.isArray(exported) ? exported : [exported]) as readonly AgentTool<never>[];
  const names = toolDefinitions(tools).map((definition) => definition.name);
  if (!names.includes(name)) {
    const near = nearestNames(name, names);
    throw new ToolwrightError("RUN_OPTIONS", `There is no tool "${name}" in ${path}.`, {
      fix: near.length > 0 ? `Did you mean ${near.join(" or ")}?` : `There are ${names.join(", ")}.`,
    });
  }
  return { tools, name, dispose: async () => disposeAll(tools) };
}

async function imported(path: string): Promise<{ readonly default?: unknown }> {
  try {
    return (await import(pathToFileURL(path).href)) as { readonly default?: unknown };
  } catch (cause) {
    const reason = cause instanceof Error ? (cause.message.split("\n")[0] as string) : String(cause);
    throw new ToolwrightError("RUN_OPTIONS", `${path} cannot be imported: ${reason}`, {
      cause,
      fix: "Name a compiled module, e.g. `--tools dist/tools.js`.",
    });
  }
}

async function disposeAll(tools: readonly object[]): Promise<void> {
  for (const tool of tools) {
    const { [Symbol.asyncDispose]: later, [Symbol.dispose]: now } = tool as Partial<AsyncDisposable & Disposable>;
    if (later !== undefined) await later.call(tool);
    else now?.call(tool);
  }
}
