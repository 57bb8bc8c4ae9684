import type { CallSlot } from "../contracts/manifest.js";
import type { ToolOutcome } from "../contracts/outcome.js";
import type { ToolContext } from "../contracts/tool.js";

/**
 * Puts decoded arguments in the order of a method's parameters. An absent argument is undefined, so that the parameter's
 * default applies.
 */
export function fillSlots(call: readonly CallSlot[], decoded: object, context: ToolContext, outcome?: ToolOutcome): unknown[] {
  return call.map((slot) => {
    if ("context" in slot) return context;
    if ("arguments" in slot) return decoded;
    if ("outcome" in slot) return outcome;
    return Object.hasOwn(decoded, slot.argument) ? (decoded as Record<string, unknown>)[slot.argument] : undefined;
  });
}
