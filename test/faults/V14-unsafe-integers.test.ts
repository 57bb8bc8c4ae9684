import { Tool } from "@toolwright/core";
import { expect, it } from "vitest";
import { callTool, object, toolkit } from "../support/call-tool.js";

const asked: unknown[] = [];
class Orders {
  @Tool({ effect: "read" })
  find(id: number | string): string {
    asked.push(id);
    return `found ${id}`;
  }
}

it("V14: an integer that JSON.parse would round is refused with advice, and history keeps its text", async () => {
  const find = toolkit(Orders, { find: { parameters: object({ id: { type: ["integer", "string"] } }) } });
  const texts = ['{"id":2512292042121000001}', '{"id": 9007199254740993 }', '{"id":"2512292042121000001"}', '{"id":9007199254740991}'];
  const { calls, issues, requests } = await callTool(find, "find", texts);
  expect(issues.map((each) => each.map(({ path, expected }) => [path, expected]))).toEqual([
    [["id", "an integer of at most 9007199254740991, or a string if it is an id"]],
    [["id", "an integer of at most 9007199254740991, or a string if it is an id"]],
    [],
    [],
  ]);
  expect(asked).toEqual(["2512292042121000001", 9007199254740991]);
  expect(calls[2]?.outcome).toMatchObject({ kind: "ok", output: "found 2512292042121000001" });
  const replayed = requests[1]?.input.filter(({ type }) => type === "function_call").map((call) => call["arguments"]);
  expect(replayed).toEqual(texts);
});
