// Written by `toolwright build`. Do not edit; run it again instead.
// fingerprint: 9d5a6cbe8d29d252fc482a9b2a25227ae1406d600630eac8821514c0a3a63513
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
export type Calculator = Calculator_;
