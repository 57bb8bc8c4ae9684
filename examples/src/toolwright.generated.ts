// Written by `toolwright build`. Do not edit; run it again instead.
// fingerprint: 0ff79a86979fc0c50d7a9af40ded9ae144cf79d52d474f3c6845497e9ab28a27
import { registerToolkit } from "@toolwright/core/generated";
import { WarehouseTools as WarehouseTools_ } from "./11-nestjs-container/warehouse-tools.js";
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

export const WarehouseTools = registerToolkit(WarehouseTools_, {
  "format": 1,
  "className": "WarehouseTools",
  "tools": [
    {
      "name": "get_stock",
      "method": "getStock",
      "description": "Tells how many of an article are in stock. `found` is false for an article that there is not; then there is no count.",
      "effect": "read",
      "parameters": {
        "type": "object",
        "properties": { "sku": { "type": "string", "description": "Number of one article, e.g. BOOK-1" } },
        "required": ["sku"],
        "additionalProperties": false
      },
      "call": [{ "argument": "sku" }]
    }
  ]
}, { methods: ["getStock"] });
export type WarehouseTools = InstanceType<typeof WarehouseTools>;
