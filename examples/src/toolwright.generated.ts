// Written by `toolwright build`. Do not edit; run it again instead.
// fingerprint: 20450f13bbd7254c49459212d1bf86d979aee89a4961f9b08f8197533b8f8646
import { registerOutput, registerToolkit } from "@toolwright/core/generated";
import { Day, Stop, TripPlan as TripPlan_ } from "./09-structured-output/trip-plan.js";
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

export const TripPlan = registerOutput(TripPlan_, {
  "format": 1,
  "className": "TripPlan",
  "name": "TripPlan",
  "description": "A plan for a trip of a few days.",
  "schema": {
    "type": "object",
    "properties": {
      "city": { "type": "string", "description": "Where the trip goes." },
      "days": {
        "type": "array",
        "description": "The days, in order.",
        "items": {
          "type": "object",
          "description": "One day of a trip.",
          "properties": {
            "date": { "type": "string", "description": "Midnight of the day, in UTC.", "format": "date-time" },
            "stops": {
              "type": "array",
              "description": "In the order of the day.",
              "items": {
                "type": "object",
                "description": "One stop of a day.",
                "properties": {
                  "place": { "type": "string", "description": "Name of the place." },
                  "time": { "type": "string", "description": "When to be there, e.g. 09:30.", "pattern": "^\\d\\d:\\d\\d$" },
                  "minutes": { "type": "integer", "description": "How long to stay, in minutes.", "minimum": 15 }
                },
                "required": ["place", "time", "minutes"],
                "additionalProperties": false
              }
            }
          },
          "required": ["date", "stops"],
          "additionalProperties": false
        }
      },
      "hint": { "type": ["string", "null"], "description": "What is worth knowing beforehand." }
    },
    "required": ["city", "days", "hint"],
    "additionalProperties": false
  },
  "decode": {
    "optional": ["hint"],
    "dto": "TripPlan",
    "properties": {
      "days": { "items": { "dto": "Day", "properties": { "date": { "date": true }, "stops": { "items": { "dto": "Stop" } } } } }
    }
  }
}, { classes: { Day, Stop, TripPlan: TripPlan_ } });
export type TripPlan = InstanceType<typeof TripPlan>;
