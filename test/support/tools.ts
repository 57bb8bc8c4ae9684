import { defineTool, type DefinedTool, type DefineToolOptions, type Middleware, type ToolContext } from "@toolwright/core";
import type { CallSpec } from "@toolwright/testing";

type Options = Partial<
  Omit<DefineToolOptions<object, unknown>, "name" | "description" | "parameters" | "execute" | "approval" | "query" | "compensate">
> & {
  readonly approval?: true | undefined;
};

/** A tool that takes one integer, `n`. Declared a read unless told otherwise, so that its calls run side by side. */
export function numberTool(name: string, execute: (n: number, context: ToolContext) => unknown, options: Options = {}): DefinedTool {
  return defineTool({
    name,
    description: `Does ${name}.`,
    effect: "read",
    ...options,
    parameters: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
    execute: ({ n }, context) => execute(n as number, context),
  });
}

/** A call of a {@link numberTool}. */
export function callOf(name: string, callId: string, n: number): CallSpec {
  return { name, callId, id: `fc_of_${callId}`, arguments: { n } };
}

type WrapToolCall = NonNullable<Middleware["wrapToolCall"]>;

/** A wrap without its `return`, which does not compile as it is. */
export function forgetful(hook: (...parameters: Parameters<WrapToolCall>) => Promise<void>): WrapToolCall {
  return hook as unknown as WrapToolCall;
}
