import { defineOutput } from "@toolwright/core";

/** The form of an answer without a class: plain JSON Schema here; a Zod or Valibot object gives the answer a type too. */
export const packingList = defineOutput({
  name: "packing_list",
  description: "What to pack for a trip.",
  schema: {
    type: "object",
    properties: {
      things: {
        type: "array",
        items: {
          type: "object",
          properties: { name: { type: "string" }, count: { type: "integer", minimum: 1 } },
          required: ["name", "count"],
        },
      },
    },
    required: ["things"],
  },
});
