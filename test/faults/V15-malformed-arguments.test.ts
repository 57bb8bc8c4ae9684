import { Tool } from "@toolwright/core";
import { expect, it } from "vitest";
import { callTool, object, toolkit } from "../support/call-tool.js";

const ran: number[] = [];
class Counter {
  @Tool({ effect: "read" })
  count(a: number): string {
    ran.push(a);
    return `counted ${a}`;
  }
}

it("V15: malformed arguments fail their own call, with the position; siblings run; nothing is repaired", async () => {
  const count = toolkit(Counter, { count: { parameters: object({ a: { type: "integer" } }) } });
  const rows = [
    ["{'a':1}", "", "a key in double quotes", `"'" at line 1, column 2`],
    ['{"a":1,}', "", "a key in double quotes", '"}" at line 1, column 8'],
    ['{"a":', "a", "a JSON value", "the end of the text at line 1, column 6"],
    ["[1]", "", "object", "array"],
    ['"x"', "", "object", "string"],
    ['{"a":1,"a":2}', "a", "each key once", "the key twice at line 1, column 8"],
  ] as const;
  const { calls, issues, requests } = await callTool(count, "count", [...rows.map(([text]) => text), '{"a":7}']);
  expect(issues).toEqual([...rows.map(([, path, expected, received]) => [{ path, expected, received }]), []]);
  expect(ran).toEqual([7]);
  expect(calls.at(-1)?.outcome).toMatchObject({ kind: "ok", output: "counted 7" });
  // The model reads what is wrong, call by call, and every call is answered once.
  const outputs = requests[1]?.input.filter(({ type }) => type === "function_call_output") ?? [];
  expect(outputs.map((output) => output["call_id"])).toEqual(calls.map(({ callId }) => callId));
  expect(JSON.parse(outputs[2]?.["output"] as string)).toMatchObject({
    error: { code: "TOOL_ARGUMENTS_INVALID", retryable: false, issues: [{ path: "a", expected: "a JSON value" }] },
  });
});
