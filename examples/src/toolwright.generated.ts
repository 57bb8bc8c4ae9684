// Written by `toolwright build`. Do not edit; run it again instead.
import { registerToolkit } from "@toolwright/core/generated";
import { Calculator as Calculator_ } from "./calculator.js";

export const Calculator = registerToolkit(
  Calculator_,
  {
    format: 1,
    className: "Calculator",
    tools: [
      {
        name: "calculate",
        description: "Evaluates an arithmetic expression. Use it for every calculation.",
        effect: "read",
        method: "calculate",
        parameters: {
          type: "object",
          properties: {
            expression: {
              type: "string",
              description: "Arithmetic expression of numbers, + - * / % **, parentheses, pi, and abs ceil floor max min round sqrt, e.g. 12 * 9 / 5 + 32",
            },
          },
          required: ["expression"],
          additionalProperties: false,
        },
        call: [{ argument: "expression" }],
      },
    ],
  },
  { methods: ["calculate"] },
);
export type Calculator = Calculator_;
