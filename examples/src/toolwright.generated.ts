// Written by `toolwright build`. Do not edit; run it again instead.
// fingerprint: c6004d786276344e595db527e02e043598a0ef018f032f7b9b139e523e50e711
import { registerToolkit } from "@toolwright/core/generated";
import { Calculator as Calculator_ } from "./calculator.js";

export const Calculator = registerToolkit(Calculator_, {
  "format": 1,
  "className": "Calculator",
  "tools": [
    {
      "name": "calculate",
      "method": "calculate",
      "description": "Evaluates an arithmetic expression. Use it for every calculation.",
      "effect": "read",
      "parameters": {
        "type": "object",
        "properties": {
          "expression": {
            "type": "string",
            "description": "Arithmetic expression of numbers, + - * / % **, parentheses, pi, and abs ceil floor max min round sqrt, e.g. 12 * 9 / 5 + 32"
          }
        },
        "required": ["expression"],
        "additionalProperties": false
      },
      "call": [{ "argument": "expression" }]
    }
  ]
}, { methods: ["calculate"] });
export type Calculator = InstanceType<typeof Calculator>;
