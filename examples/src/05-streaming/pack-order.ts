import { setTimeout } from "node:timers/promises";
import { defineTool } from "@toolwright/core";

/** A write that takes five seconds, and ends with its signal. */
export const packOrder = defineTool({
  name: "pack_order",
  description: "Packs an order.",
  effect: "write",
  parameters: {
    type: "object",
    properties: { orderId: { type: "string", description: "Id of the order, e.g. A" } },
    required: ["orderId"],
  },
  async execute({ orderId }, { signal }) {
    await setTimeout(5000, undefined, { signal });
    return { orderId, packed: true };
  },
});
