// Written by `toolwright build`. Do not edit; run it again instead.
// fingerprint: 782a6a5903aaa14a1451e0c614dfcb52b5f187dfb2e42694f04de44738b5e63e
import { registerToolkit } from "@toolwright/core/generated";
import { WeatherTools as WeatherTools_ } from "./weather-tools.js";

export const WeatherTools = registerToolkit(WeatherTools_, {
  "format": 1,
  "className": "WeatherTools",
  "package": "@toolwright/tools-weather",
  "tools": [
    {
      "name": "get_weather",
      "method": "getWeather",
      "description": "Tells the current weather of a city: temperature in degrees Celsius and condition. Use it for questions about the weather now; `found` is false for an unknown city.",
      "effect": "read",
      "parameters": {
        "type": "object",
        "properties": {
          "city": {
            "type": "string",
            "description": "Name of one city, e.g. Kazan; a country may follow after a comma, e.g. Paris, France"
          }
        },
        "required": ["city"],
        "additionalProperties": false
      },
      "call": [{ "argument": "city" }, { "context": true }]
    },
    {
      "name": "get_forecast",
      "method": "getForecast",
      "description": "Tells the weather forecast of a city for the coming days, today first: lowest and highest temperature in degrees Celsius and condition of each day. `found` is false for an unknown city.",
      "effect": "read",
      "parameters": {
        "type": "object",
        "properties": {
          "city": {
            "type": "string",
            "description": "Name of one city, e.g. Kazan; a country may follow after a comma, e.g. Paris, France"
          },
          "days": {
            "type": ["number", "null"],
            "description": "How many days, today included: a whole number from 1 to 16. Default 3."
          }
        },
        "required": ["city", "days"],
        "additionalProperties": false
      },
      "decode": { "optional": ["days"] },
      "call": [{ "argument": "city" }, { "argument": "days" }, { "context": true }]
    }
  ]
}, { methods: ["getWeather", "getForecast"] });
export type WeatherTools = InstanceType<typeof WeatherTools>;
