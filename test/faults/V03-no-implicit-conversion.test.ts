import { Tool } from "@toolwright/core";
import { IsBoolean, IsNumber, IsString } from "class-validator";
import { describe, expect, it } from "vitest";
import { callTool, object, toolkit } from "../support/call-tool.js";

class Values {
  @IsBoolean() flag!: boolean;
  @IsNumber() number!: number;
  @IsString() text!: string;
}

const received: Values[] = [];
class Taker {
  @Tool({ effect: "read" })
  take(values: Values): string {
    received.push(values);
    return "taken";
  }
}
const take = toolkit(
  Taker,
  {
    take: {
      parameters: object({ flag: { type: "boolean" }, number: { type: "number" }, text: { type: "string" } }),
      decode: { dto: "Values" },
      call: [{ arguments: true }],
    },
  },
  { Values },
);
const good = { flag: true, number: 1, text: "t" };

describe("V03: nothing is converted", () => {
  it.each([
    ["flag", "false", "boolean", "string"],
    ["flag", "true", "boolean", "string"],
    ["flag", "", "boolean", "string"],
    ["flag", 0, "boolean", "integer"],
    ["flag", null, "boolean", "null"],
    ["number", "", "number", "string"],
    ["number", "abc", "number", "string"],
    ["number", "12", "number", "string"],
    ["number", true, "number", "boolean"],
    ["number", null, "number", "null"],
    ["text", 7, "string", "integer"],
    ["text", false, "string", "boolean"],
  ])("refuses %s: %j with the expected type", async (name, value, expected, kind) => {
    const before = received.length;
    const { issues } = await callTool(take, "take", [JSON.stringify({ ...good, [name]: value })]);
    expect(issues).toEqual([[{ path: name, expected, received: kind }]]);
    expect(received).toHaveLength(before);
  });

  it("delivers what fits as it came", async () => {
    await callTool(take, "take", ['{"flag":false,"number":0,"text":"007"}']);
    expect(received.at(-1)).toEqual(Object.assign(new Values(), { flag: false, number: 0, text: "007" }));
  });
});
