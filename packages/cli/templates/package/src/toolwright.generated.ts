// Written by `toolwright build`. Do not edit; run it again instead.
// fingerprint: b39f8e4b74ea4d202cfeb7852d19a7e20508e9bf49fa571303bff7f092380062
import { registerToolkit } from "@toolwright/core/generated";
import { SampleTools as SampleTools_ } from "./sample-tools.js";

export const SampleTools = registerToolkit(SampleTools_, {
  "format": 1,
  "className": "SampleTools",
  "tools": [
    {
      "name": "get_sample",
      "method": "getSample",
      "description": "Looks up one entry of sample by its id: its name, and how many there are. Use it for every question about an id.",
      "effect": "read",
      "parameters": {
        "type": "object",
        "properties": { "id": { "type": "string", "description": "Id of the entry: a letter, a dash and a number, e.g. A-1" } },
        "required": ["id"],
        "additionalProperties": false
      },
      "call": [{ "argument": "id" }]
    }
  ]
}, { methods: ["getSample"] });
export type SampleTools = InstanceType<typeof SampleTools>;
