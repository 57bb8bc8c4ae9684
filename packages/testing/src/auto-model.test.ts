import type { Item } from "@toolwright/core";
import { expect, test } from "vitest";
import { autoModel, viewOf, type PlannerView } from "./auto-model.js";
import { reply } from "./reply.js";
import { startResponsesServer } from "./server.js";

const user = (text: string): Item => ({ type: "message", role: "user", content: [{ type: "input_text", text }] });
const call = (callId: string, name: string, given: string): Item => ({ type: "function_call", call_id: callId, name, arguments: given });
const output = (callId: string, result: unknown): Item => ({ type: "function_call_output", call_id: callId, output: result });

test("shows the question, and the calls answered since", () => {
  const view = viewOf({
    body: { instructions: "Be kind.", tools: [{ type: "function", name: "f" }, { type: "web_search" }], tool_choice: "none" },
    context: [
      user("Old"),
      call("call_0", "f", "{}"),
      output("call_0", "old"),
      user("New"),
      call("call_1", "f", '{"a":1}'),
      call("call_2", "g", "{broken"),
      output("call_2", "plain text"),
      output("call_1", '{"b":2}'),
      call("call_1", "f", "{}"),
      output("call_1", [
        { type: "input_text", text: "[1," },
        { type: "input_text", text: "2]" },
      ]),
      call("call_4", "f", "{}"),
    ],
  });
  expect(view).toMatchObject({ question: "New", instructions: "Be kind.", toolChoice: "none", step: 2, tools: [{ name: "f" }] });
  expect(view.tools).toHaveLength(1);
  expect(view.outputs).toEqual([
    { callId: "call_1", name: "f", arguments: { a: 1 }, text: '{"b":2}', value: { b: 2 }, step: 0 },
    { callId: "call_2", name: "g", arguments: undefined, text: "plain text", value: "plain text", step: 0 },
    { callId: "call_1", name: "f", arguments: {}, text: "[1,2]", value: [1, 2], step: 1 },
  ]);
  expect(view.output("f")).toEqual([1, 2]);
  expect(view.output("h")).toBeUndefined();
});

test("shows an empty request", () => {
  expect(viewOf({ body: {}, context: [] })).toMatchObject({
    question: "",
    tools: [],
    outputs: [],
    input: [],
    instructions: undefined,
    toolChoice: "auto",
    step: 0,
  });
});

test("drives a server, with the history sent or kept", async () => {
  const views: PlannerView[] = [];
  await using server = await startResponsesServer(
    autoModel((view) => {
      views.push(view);
      return view.step === 0
        ? reply.calls({ callId: "call_1", name: "add", arguments: { a: 1, b: 2 } })
        : reply.text(`It is ${String(view.output("add"))}.`);
    }),
  );
  const post = async (body: object): Promise<{ id: string; output: Item[] }> => {
    const response = await fetch(`${server.url}/responses`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: "Bearer x" },
      body: JSON.stringify({ model: "test", ...body }),
    });
    return (await response.json()) as { id: string; output: Item[] };
  };
  const first = await post({ input: "What is 1 + 2?" });
  const chained = await post({ previous_response_id: first.id, input: [output("call_1", "3")] });
  const sent = await post({ input: [user("What is 1 + 2?"), ...first.output, output("call_1", "3")] });
  for (const { output: items } of [chained, sent]) expect(items).toMatchObject([{ content: [{ text: "It is 3." }] }]);
  expect(views.map((view) => [view.question, view.step])).toEqual([
    ["What is 1 + 2?", 0],
    ["What is 1 + 2?", 1],
    ["What is 1 + 2?", 1],
  ]);
  server.assertDone();
});
