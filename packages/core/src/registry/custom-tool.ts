import type { RunnableTool, ToolContext } from "../contracts/tool.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { type DefinedTool, defineTool, type DefineToolOptions } from "./define-tool.js";

/** A tool whose input is free text, or text of a grammar, instead of JSON arguments. */
export interface CustomToolOptions<App> extends Pick<
  DefineToolOptions<object, App>,
  "name" | "description" | "effect" | "idempotent" | "timeoutMs" | "maxCalls" | "tags"
> {
  /** What the text may be. The provider holds the model to it; Toolwright does not check it again. Default: any text. */
  readonly format?:
    | { readonly type: "text" }
    | { readonly type: "grammar"; readonly syntax: "lark" | "regex"; readonly definition: string }
    | undefined;
  execute(this: void, input: string, context: ToolContext<App>): unknown;
  readonly approval?: true | ((input: string, context: ToolContext<App>) => boolean | Promise<boolean>) | undefined;
}

/**
 * Defines a custom tool of the Responses API: one text in, instead of JSON arguments. Not every provider has them.
 *
 * @example
 * const sql = customTool({ name: "query", description: "Runs a SQL query.", effect: "read", execute: (input) => db.all(input) });
 * @throws ToolwrightError `TOOL_DEFINITION` for a wrong option.
 */
export function customTool<App = unknown>(options: CustomToolOptions<App>): DefinedTool<NoInfer<App>> {
  const { format, execute, approval, ...rest } = options;
  if (format !== undefined && !isFormat(format)) {
    throw new ToolwrightError("TOOL_DEFINITION", `The custom tool ${String(options.name)} has a format that is none.`, {
      fix: 'Use `{ type: "text" }`, or `{ type: "grammar", syntax: "lark" | "regex", definition }`.',
    });
  }
  if (typeof execute !== "function") {
    throw new ToolwrightError("TOOL_DEFINITION", `The custom tool ${String(options.name)} has no execute function.`, {
      fix: "Add `execute(input, context) { … }`.",
    });
  }
  const inputOf = (args: Record<string, unknown>): string => args["input"] as string;
  const defined = defineTool({
    ...rest,
    parameters: { type: "object", properties: { input: { type: "string" } }, required: ["input"] },
    execute: (args: Record<string, unknown>, context: ToolContext<App>) => execute(inputOf(args), context),
    ...(approval !== undefined && {
      approval: approval === true ? true : (args: Record<string, unknown>, context: ToolContext<App>) => approval(inputOf(args), context),
    }),
  } as DefineToolOptions<object, App>);
  const { name, description } = options;
  const spec = Object.freeze({ type: "custom", name, description, ...(format !== undefined && { format }) });
  const tools = defined["~toolwright.tools"].tools().map((tool): RunnableTool => ({ ...tool, spec }));
  return { name, "~toolwright.tools": { tools: () => tools } };
}

function isFormat(format: NonNullable<CustomToolOptions<never>["format"]>): boolean {
  if (format.type === "text") return true;
  return format.type === "grammar" && ["lark", "regex"].includes(format.syntax) && typeof format.definition === "string";
}
