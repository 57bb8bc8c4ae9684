// Written by `toolwright build`. Do not edit; run it again instead.
// fingerprint: a08dea7d05ae871172acdc73bdaa7d0fd8cb4e669da791701879fb5cdf6e6ef4
import { registerToolkit } from "@toolwright/core/generated";
import { SampleTools as SampleTools_ } from "./sample-tools.js";

export const SampleTools = registerToolkit(SampleTools_, {
  "format": 1,
  "className": "SampleTools",
  "package": "tools-sample",
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
