import { defineTool, type DefinedTool, type DefineToolOptions } from "@toolwright/core";
import { toolRetry } from "@toolwright/core/middleware";
import type { CallSpec } from "@toolwright/testing";

/** Tries again what may be tried again, at once and often. */
export const retries = (attempts = 5) => toolRetry({ attempts, minDelayMs: 1, maxDelayMs: 1 });

type Options = Partial<Omit<DefineToolOptions<object, unknown>, "name" | "description" | "parameters" | "execute">>;

/** A write that pays an amount to someone, and the keys of the calls that reached it. */
export function payments(
  execute: (attempt: number, signal: AbortSignal) => unknown,
  options: Options = {},
): { readonly keys: readonly string[]; readonly pay: DefinedTool } {
  const keys: string[] = [];
  const pay = defineTool({
    name: "pay",
    description: "Pays.",
    effect: "write",
    ...options,
    parameters: { type: "object", properties: { to: { type: "string" }, amount: { type: "integer" } }, required: ["to", "amount"] },
    execute: (_, { idempotencyKey, signal }) => {
      keys.push(idempotencyKey);
      return execute(keys.length, signal);
    },
  });
  return { keys, pay };
}

/** A call of it. */
export const payCall = (callId: string, to = "Ada", amount = 5): CallSpec => ({
  name: "pay",
  callId,
  id: `fc_of_${callId}`,
  arguments: { to, amount },
});
