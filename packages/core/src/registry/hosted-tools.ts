import type { HostedTool } from "../contracts/tool.js";
import { withHiddenSecrets } from "../errors/secret-fields.js";
import { ToolwrightError } from "../errors/toolwright-error.js";

/** Whether an object is a tool of the provider's own, passed through as it is. */
export function isHostedTool(entry: unknown): entry is HostedTool {
  if (!isPlain(entry)) return false;
  const { type } = entry as { type?: unknown };
  return typeof type === "string" && type !== "" && type !== "function";
}

/**
 * A hosted tool as an agent keeps it: the same object, or a copy whose secrets only the adapter sees.
 *
 * @param place - where it stands, e.g. `tools[0]`, for errors.
 * @throws ToolwrightError `RUN_OPTIONS` for one whose calls nobody would answer.
 */
export function keptHostedTool(tool: HostedTool, place: string): HostedTool {
  const [what, fix] = refusal(tool) ?? [];
  if (what !== undefined) throw new ToolwrightError("RUN_OPTIONS", `${place} is ${what}.`, { fix });
  return withHiddenSecrets(tool);
}

// An object that is no instance of a class; one without a prototype or with a foreign one included.
export function isPlain(entry: unknown): entry is object {
  if (typeof entry !== "object" || entry === null || Array.isArray(entry)) return false;
  const prototype = Object.getPrototypeOf(entry) as object | null;
  return (
    prototype === null || prototype === Object.prototype || typeof entry.constructor !== "function" || entry.constructor.name === "Object"
  );
}

/** What is wrong with it, and what to do instead. */
function refusal({ type, environment, execution }: HostedTool): readonly [what: string, fix: string] | undefined {
  switch (type) {
    case "custom":
      return ["a custom tool in the form of the API, which says nothing of how to run it", "Make it with `customTool({ … })`."];
    case "namespace":
      return [
        "a namespace in the form of the API, which says nothing of how to run its tools",
        "Make it with `toolNamespace({ name, description, tools })`.",
      ];
    case "computer":
    case "computer_use_preview":
    case "local_shell":
    case "apply_patch":
      return [`a tool of the type "${type}", whose calls your own program would have to answer`, "Make a tool with `defineTool({ … })`."];
    case "shell": {
      const where = (environment as { readonly type?: unknown } | null | undefined)?.type;
      if (where === "container_auto" || where === "container_reference") return undefined;
      return [
        "a shell without a container of the provider's, so that your own program would have to answer its calls",
        'Write `environment: { type: "container_auto" }`, or make a tool with `defineTool({ … })`.',
      ];
    }
    case "tool_search":
      if (execution !== "client") return undefined;
      return [
        "a search for tools that the client answers",
        "Use the middleware `toolSelection({ search: true })`, or leave `execution` out.",
      ];
    default:
      return undefined;
  }
}
