import type { JsonObject } from "../contracts/json.js";
import { asBoolean } from "./as-boolean.js";
import type { ToolOutcome } from "../contracts/outcome.js";
import type { PreparedCall, QueryAnswer, RunnableTool, ToolContext, ToolSource } from "../contracts/tool.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { argumentChecker } from "../schema/argument-checker.js";
import type { Refine } from "../schema/standard-schema.js";
import { strictFromJsonSchema } from "../schema/strict-from-json-schema.js";
import { isToolName, toolInfo, type ToolInfoOptions } from "./tool-info.js";

/** Anything with a Standard JSON Schema interface, such as a Zod or Valibot object. */
export interface StandardJsonSchema<Output = unknown> {
  readonly "~standard": {
    readonly types?: { readonly output: Output } | undefined;
    readonly jsonSchema: { input(options: { readonly target: string }): Record<string, unknown> };
  };
}

/** What `execute` gets, as far as the schema's type tells. */
export type ArgumentsOf<Parameters> = Parameters extends {
  readonly "~standard": { readonly types?: { readonly output: infer Output } | undefined };
}
  ? Output
  : Record<string, unknown>;

/** A tool without a class: the options of `@Tool`, with functions where the decorator names methods. */
export interface DefineToolOptions<Parameters, App> extends ToolInfoOptions {
  readonly name: string;
  readonly description: string;
  /** Plain JSON Schema of an object, or anything with a Standard JSON Schema interface. Made strict, or refused. */
  readonly parameters: Parameters;
  execute(this: void, args: ArgumentsOf<Parameters>, context: ToolContext<App>): unknown;
  readonly approval?: true | ((args: ArgumentsOf<Parameters>, context: ToolContext<App>) => boolean | Promise<boolean>) | undefined;
  readonly query?: ((args: ArgumentsOf<Parameters>, context: ToolContext<App>) => QueryAnswer | Promise<QueryAnswer>) | undefined;
  readonly compensate?:
    | ((args: ArgumentsOf<Parameters>, outcome: ToolOutcome, context: ToolContext<App>) => void | Promise<void>)
    | undefined;
}

/** A tool made by `defineTool`: goes into an agent's `tools`. */
export interface DefinedTool<App = unknown> extends ToolSource<App> {
  readonly name: string;
}

/**
 * Defines a tool without a class.
 *
 * @example
 * const now = defineTool({
 *   name: "now",
 *   description: "The present time as ISO text.",
 *   effect: "read",
 *   parameters: { type: "object", properties: {} },
 *   execute: () => new Date(),
 * });
 * @throws ToolwrightError `TOOL_DEFINITION` when the schema cannot be made strict, or an option is wrong.
 */
export function defineTool<const Parameters extends object, App = unknown>(
  options: DefineToolOptions<Parameters, App>,
  // What it needs says the tool alone, not the list of tools that it is written in.
): DefinedTool<NoInfer<App>> {
  checkDefinition(options);
  const tool = definedTool(options as unknown as DefineToolOptions<object, unknown>);
  return { name: options.name, "~toolwright.tools": { tools: () => [tool] } };
}

const optionNames =
  "name description parameters execute effect resource timeoutMs idempotent approval query compensate maxCalls echo tags".split(" ");

function checkDefinition(options: unknown): void {
  const given = (typeof options === "object" && options !== null ? options : {}) as Readonly<Record<string, unknown>>;
  const { name, execute, approval, query, compensate } = given;
  if (!isToolName(name))
    throw wrong(
      "A tool",
      `has the name ${typeof name === "string" ? JSON.stringify(name) : typeof name}`,
      "Use up to 64 letters, digits, _ and -.",
    );
  const owner = `The tool ${String(name)}`;
  const unknownKey = Object.keys(given).find((key) => !optionNames.includes(key));
  if (unknownKey !== undefined)
    throw wrong(owner, `has no option ${JSON.stringify(unknownKey)}`, `The options are ${optionNames.join(", ")}.`);
  if (typeof execute !== "function") throw wrong(owner, "has no execute function", "Add `execute(args, context) { … }`.");
  if (approval !== undefined && approval !== true && typeof approval !== "function") {
    throw wrong(
      owner,
      `has the approval ${typeof approval === "string" ? JSON.stringify(approval) : String(approval)}`,
      "Use true, or a function of arguments and context; leave it out for none.",
    );
  }
  for (const [hook, value] of Object.entries({ query, compensate })) {
    if (value !== undefined && typeof value !== "function")
      throw wrong(owner, `has a ${hook} that is a ${typeof value}`, "Use a function.");
  }
}

const wrong = (owner: string, what: string, fix: string): ToolwrightError =>
  new ToolwrightError("TOOL_DEFINITION", `${owner} ${what}.`, { fix });

function definedTool(options: DefineToolOptions<object, unknown>): RunnableTool {
  const { name, description, approval, query, compensate } = options;
  const { schema, plan, refine } = strictFromJsonSchema(options.parameters, name);
  const checker = argumentChecker(schema, plan, {}, `the tool "${name}"`);
  // The schema's own library has the last word: its defaults, transforms and refinements.
  const decode = (checked: JsonObject): Decoded | Promise<Decoded> => {
    const decoded = checker.decode(checked);
    return refine === undefined ? decoded : refined(decoded, refine);
  };
  // For a hook, arguments were found right before; and they have the type that the schema gives them.
  const typed = async (checked: JsonObject): Promise<Record<string, unknown>> => {
    const decoded = await decode(checked);
    if (!decoded.ok)
      throw new TypeError(`The arguments of ${name} do not fit any more: ${decoded.issues.map(({ path }) => path).join(", ")}`);
    return decoded.value as Record<string, unknown>;
  };
  const prepared = (decoded: Decoded): PreparedCall =>
    decoded.ok ? { ok: true, invoke: (context) => options.execute(decoded.value as Record<string, unknown>, context) } : decoded;
  return {
    info: toolInfo(
      { name, identity: `app#${name}.execute`, description, parameters: schema, needsApproval: approval !== undefined },
      options,
    ),
    check: (value) => checker.check(value),
    prepare(checked) {
      const decoded = decode(checked);
      return decoded instanceof Promise ? decoded.then(prepared) : prepared(decoded);
    },
    ...(approval !== undefined && {
      approve: async (checked: JsonObject, context: ToolContext) =>
        approval === true || asBoolean(await approval(await typed(checked), context)),
    }),
    ...(query !== undefined && { query: async (checked: JsonObject, context: ToolContext) => query(await typed(checked), context) }),
    ...(compensate !== undefined && {
      compensate: async (checked: JsonObject, outcome: ToolOutcome, context: ToolContext) =>
        compensate(await typed(checked), outcome, context),
    }),
  };
}

type Decoded = Awaited<ReturnType<Refine>>;

async function refined(decoding: Decoded | Promise<Decoded>, refine: Refine): Promise<Decoded> {
  const decoded = await decoding;
  return decoded.ok ? refine(decoded.value) : decoded;
}
