import { Agent, defineOutput, type HistoryOption } from "@toolwright/core";
import { reply } from "@toolwright/testing";
import { describe, expect, expectTypeOf, it } from "vitest";
import * as z from "zod";
import { inputOf, serve } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends } from "../support/wait.js";
import { failureOf, histories } from "../support/ways.js";

const Verdict = defineOutput({
  name: "verdict",
  description: "Whether it is fair.",
  schema: z.object({ fair: z.boolean(), why: z.string(), until: z.string().optional() }),
});
const fits = '{"fair":true,"why":"It is.","until":null}';

describe.each(histories)("structured output ($kind)", (history: HistoryOption) => {
  it("is asked for by its schema and given back checked and decoded", async () => {
    await using stand = await serve([reply.calls(callOf("look", "call_1", 1)), reply.text(fits)]);
    const agent = new Agent({
      model: "test",
      client: stand.client,
      history,
      output: Verdict,
      tools: [numberTool("look", () => 1)],
      settings: { text: { verbosity: "low" } },
    });
    const result = await ends(agent.run("Is it fair?"));
    if (result.stopReason !== "completed") throw new Error(result.stopReason);
    expect(result.output).toEqual({ fair: true, why: "It is." });
    expectTypeOf(result.output).toEqualTypeOf<{ fair: boolean; why: string; until?: string | undefined }>();
    for (const index of [0, 1]) {
      expect(stand.server.request(index).body.text).toMatchObject({
        verbosity: "low",
        format: { type: "json_schema", name: "verdict", description: "Whether it is fair.", strict: true, schema: { type: "object" } },
      });
    }
  });

  it.each([
    ["no JSON", "It is fair."],
    ["another form", '{"fair":"yes","why":"It is.","until":null}'],
    ["no text at all", ""],
  ])("%s is given back to the model, which then does better", async (_, wrong) => {
    await using stand = await serve([reply.text(wrong), reply.text(fits), reply.text("Go on.")]);
    const agent = new Agent({ model: "test", client: stand.client, history, output: Verdict });
    const result = await ends(agent.run("Is it fair?"));
    expect(result).toMatchObject({ stopReason: "completed", output: { fair: true }, steps: [{}, {}] });
    const told = inputOf(stand.server.request(1)).at(-1);
    expect(told).toMatchObject({ role: "user", content: expect.stringContaining("does not fit") });
    expect(JSON.stringify(told)).not.toContain('"yes"');
    const plain = new Agent({ model: "test", client: stand.client });
    await ends(plain.run("And now?", { history: result.history }));
    stand.server.assertDone();
  });

  it("one that never fits ends the run with its issues and a history to go on from", async () => {
    await using stand = await serve([reply.text("no"), reply.text("no"), reply.text("Here.")]);
    const agent = new Agent({ model: "test", client: stand.client, history, output: Verdict, outputRepairs: 1 });
    const error = await ends(failureOf(agent.run("Is it fair?")));
    expect(error).toMatchObject({ code: "RUN_OUTPUT", details: { output: "verdict", issues: [expect.anything()] } });
    expect(error.result.steps).toHaveLength(2);
    await ends(new Agent({ model: "test", client: stand.client }).run("Hello?", { history: error.result.history }));
    stand.server.assertDone();
  });
});

it("repairs stay within the budget of steps", async () => {
  await using stand = await serve([reply.text("no"), reply.text("no")]);
  const agent = new Agent({ model: "test", client: stand.client, output: Verdict, outputRepairs: 9, maxSteps: 2 });
  expect(await ends(failureOf(agent.run("Go.")))).toMatchObject({ code: "RUN_BUDGET" });
});

it("a refusal is a stop reason of its own", async () => {
  await using stand = await serve([reply.refusal("I will not.")]);
  const agent = new Agent({ model: "test", client: stand.client, output: Verdict });
  expect(await ends(agent.run("Go."))).toMatchObject({ stopReason: "refused", refusal: "I will not." });
});

it("comes in parts while it is streamed, each more of the same, the last one whole", async () => {
  await using stand = await serve([reply.text("Nonsense."), reply.text(fits)]);
  const agent = new Agent({ model: "test", client: stand.client, output: Verdict });
  const stream = agent.stream("Go.");
  const parts: object[] = [];
  for await (const part of stream.partialOutputs()) {
    parts.push(part);
    expectTypeOf(part.why).toEqualTypeOf<string | undefined>();
  }
  expect(parts.at(-1)).toEqual(JSON.parse(fits));
  expect(await stream.result).toMatchObject({ output: { fair: true } });
});

it("comes in parts without what the model says before its answer", async () => {
  const answer = reply.output(reply.text("Let me see.", { phase: "commentary" }), reply.text(fits, { phase: "final_answer" }));
  await using stand = await serve([answer]);
  const stream = new Agent({ model: "test", client: stand.client, output: Verdict }).stream("Go.");
  const parts: object[] = [];
  for await (const part of stream.partialOutputs()) parts.push(part);
  expect(parts.at(-1)).toEqual(JSON.parse(fits));
});

describe("what is no output is refused at construction", () => {
  class Plain {
    fair = true;
  }
  it.each([
    ["a class that was not built", Plain, /Plain.*not registered/],
    ["a schema", { type: "object" }, /`output` is a value of type object/],
    ["a text", "Verdict", /type string/],
  ])("%s", (_, output, message) => {
    expect(() => new Agent({ model: "test", output: output as never })).toThrow(message);
  });

  it("beside a format in the settings", () => {
    expect(() => new Agent({ model: "test", output: Verdict, settings: { text: { format: { type: "text" } } } })).toThrow(
      /settings\.text\.format/,
    );
  });

  it("a schema that cannot be strict, and a wrong name", () => {
    expect(() => defineOutput({ name: "x", schema: { type: "array" } })).toThrow(/The schema of the output "x" .*not an object/);
    expect(() => defineOutput({ name: "x", schema: { items: { type: "string" } } })).toThrow(/not an object/);
    expect(() => defineOutput({ name: "not a name", schema: { type: "object", properties: {} } })).toThrow(/"not a name"/);
  });
});
