import assert from "node:assert/strict";
import { test } from "node:test";
import { reply, startResponsesServer } from "@toolwright/testing";
import { OpenAI } from "openai";
import { createAgent } from "./create-agent.js";

test("the agent adds with its tool", async () => {
  await using server = await startResponsesServer([
    reply.calls({ callId: "call_1", name: "add", arguments: { left: 2.5, right: 4 } }),
    reply.text("It is 6.5."),
  ]);
  const client = new OpenAI({ baseURL: server.url, apiKey: "test" });

  const result = await createAgent({ client }).run("What is 2.5 plus 4?");

  assert.equal(result.stopReason, "completed");
  assert.deepEqual(
    result.steps.flatMap(({ calls }) => calls.map(({ tool, outcome }) => [tool, outcome.kind])),
    [["add", "ok"]],
  );
  server.assertDone();
});
