import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent } from "@toolwright/core";
import { reply, startResponsesServer } from "@toolwright/testing";
import { OpenAI } from "openai";
import toolPackage, { SampleConfig, SampleTools } from "./index.js";

test("a model that calls get_sample gets the entry", async () => {
  await using server = await startResponsesServer([
    reply.calls({ callId: "call_1", name: "get_sample", arguments: { id: "A-1" } }),
    reply.text("There are 12 lamps."),
  ]);
  const client = new OpenAI({ baseURL: server.url, apiKey: "test" });
  const agent = new Agent({ model: "test", client, tools: [new SampleTools()] });

  const result = await agent.run("How many A-1 are there?");

  assert.equal(result.stopReason, "completed");
  const outcome = result.steps[0]?.calls[0]?.outcome;
  assert.equal(outcome?.kind, "ok");
  server.assertDone();
});

test("an unknown id is told to the model", () => {
  assert.throws(() => new SampleTools().getSample("B-7"), { code: "SAMPLE_UNKNOWN", message: /"B-7"/ });
});

test("the package makes its tools of an app's configuration", async () => {
  const [tools] = await toolPackage.create(Object.assign(new SampleConfig(), { unit: "boxes" }));
  assert.ok(tools instanceof SampleTools);
  assert.equal(tools.getSample("A-2").unit, "boxes");
});
