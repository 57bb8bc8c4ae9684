// Written by `toolwright build`. Do not edit; run it again instead.
// fingerprint: 49e1d6135e8294004985b6d118a2c25407710ab4dbcdf3989851def4d91e1308
import { registerToolkit } from "@toolwright/core/generated";
import { Calculator as Calculator_ } from "./calculator.js";

export const Calculator = registerToolkit(Calculator_, {
  "format": 1,
  "className": "Calculator",
  "tools": [
    {
      "name": "add",
      "method": "add",
      "description": "Adds two numbers. Use it for every sum.",
      "effect": "read",
      "parameters": {
        "type": "object",
        "properties": {
          "left": { "type": "number", "description": "First summand, e.g. 2.5" },
          "right": { "type": "number", "description": "Second summand, e.g. 4" }
        },
        "required": ["left", "right"],
        "additionalProperties": false
      },
      "call": [{ "argument": "left" }, { "argument": "right" }]
    }
  ]
}, { methods: ["add"] });
export type Calculator = InstanceType<typeof Calculator>;
