import type { RunnableTool, ToolSource } from "../contracts/tool.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { isPlain } from "./hosted-tools.js";
import { toolPackageMarker } from "./tool-package.js";
import { isRegisteredElsewhere, registeredBase, toolkitRecord } from "./toolkit-table.js";
import { toolkitTools } from "./toolkit-tools.js";

/** Whether an object brings its tools itself: `defineTool`, a registry, an agent as a tool, `prefixed`. */
export function isToolSource(entry: unknown): entry is ToolSource {
  return typeof entry === "object" && entry !== null && "~toolwright.tools" in entry;
}

/**
 * The tools of one object: of a source, or of an instance of a built class.
 *
 * @param place - where it stands, e.g. `tools[0]`, for errors.
 * @throws ToolwrightError `TOOL_UNREGISTERED` or `RUN_OPTIONS` for something that is no tool.
 */
export function entryTools(entry: unknown, place: string): readonly RunnableTool[] {
  if (isToolSource(entry)) return entry["~toolwright.tools"].tools();
  if (typeof entry === "object" && entry !== null) {
    const record = toolkitRecord(entry);
    if (record !== undefined) return toolkitTools(entry, record);
  }
  const meant = mistake(entry);
  // Everything but an instance of some class is a mistake of its own kind.
  const [what, fix] = meant ?? unregistered(entry as object);
  throw new ToolwrightError(meant === undefined ? "TOOL_UNREGISTERED" : "RUN_OPTIONS", `${place} is ${what}.`, { fix });
}

type Mistake = readonly [what: string, fix: string];

/** What someone who wrote this may have meant. */
function mistake(entry: unknown): Mistake | undefined {
  if (typeof entry === "function") {
    const name = entry.name || "Toolkit";
    return [`the class or function ${name}, not an instance`, `Write \`new ${name}(…)\`, or \`defineTool({ … })\` for a function.`];
  }
  if (typeof entry !== "object" || entry === null)
    return [entry === null ? "null" : `a value of type ${typeof entry}`, "Pass an instance of a tool class."];
  if (Array.isArray(entry)) return ["a list", "Spread it: `tools: [...list]`."];
  if (entry instanceof Promise) return ["a promise", "Await it first: `const registry = await ToolRegistry.discover({ … })`."];
  if (toolPackageMarker in entry) {
    return [
      "the default export of a tool package",
      "Write an instance of its class, `new …Tools(…)`, or allow the package in a `ToolRegistry`.",
    ];
  }
  if (!isPlain(entry)) return undefined;
  if ((entry as { type?: unknown }).type === "function")
    return ["a function tool in the form of the API, which says nothing of how to run it", "Make it with `defineTool({ … })`."];
  return ["a plain object, not a tool", "Make it with `defineTool({ … })`. A tool that the provider runs needs its `type`."];
}

function unregistered(entry: object): Mistake {
  const name = entry.constructor.name;
  const rebuild = `Export ${name}, run \`npx toolwright build\`, and write \`import { ${name} } from "./toolwright.generated.js"\`.`;
  if (isRegisteredElsewhere(entry)) {
    return [
      `an instance of ${name}, which was registered by another version of @toolwright/core`,
      "Install one version of @toolwright/core: see `npm ls @toolwright/core`.",
    ];
  }
  const base = registeredBase(entry);
  if (base !== undefined) return [`an instance of ${name}, which is not registered; only its base class ${base.className} is`, rebuild];
  return [`an instance of ${name}, which is not registered: it was not built, or it was imported from its own source file`, rebuild];
}
