import { Agent, defineOutput } from "@toolwright/core";
import { reply, type Reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { inputOf, serve } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends } from "../support/wait.js";
import { failureOf, histories, ways } from "../support/ways.js";
import { paused } from "./support.js";

const Size = defineOutput({
  name: "size",
  schema: { type: "object", properties: { n: { type: "integer" }, unit: { type: "string" } }, required: ["n"] },
});
const seven = '{"n":7,"unit":null}';

/** What a run with an output comes to, and what the model was told after each answer that did not fit. */
async function answerOf(replies: readonly Reply[], output: unknown = Size) {
  await using stand = await serve(replies);
  const agent = new Agent({ model: "test", client: stand.client, output: output as typeof Size });
  const result = await ends(agent.run("How big?"));
  if (result.stopReason !== "completed") throw new Error(result.stopReason);
  stand.server.assertDone();
  const told = stand.server.requests.slice(1).map((request) => String(inputOf(request).at(-1)?.["content"]));
  return { output: result.output as unknown, told, steps: result.steps.length };
}

describe("an answer is read as one text", () => {
  it("of several messages", async () => {
    expect((await answerOf([reply.output(reply.text('{"n":'), reply.text('7,"unit":null}'))])).output).toEqual({ n: 7 });
  });

  it("with reasoning between", async () => {
    expect((await answerOf([reply.output(reply.text('{"n":7'), reply.reasoning("Hm."), reply.text(',"unit":null}'))])).output).toEqual({
      n: 7,
    });
  });

  it("without the commentary before it", async () => {
    const both = reply.output(reply.text("Let me measure.", { phase: "commentary" }), reply.text(seven, { phase: "final_answer" }));
    expect((await answerOf([both])).output).toEqual({ n: 7 });
  });

  it("with space and line ends around it", async () => {
    expect((await answerOf([reply.text(`\n  ${seven}\n`)])).output).toEqual({ n: 7 });
  });

  it("a refusal beside a whole answer does not take it away", async () => {
    const content = [
      { type: "output_text", text: seven, annotations: [], logprobs: [] },
      { type: "refusal", refusal: "Not more than that." },
    ];
    const message = { type: "message", id: "msg_1", role: "assistant", status: "completed", content };
    expect((await answerOf([reply.items([message])])).output).toEqual({ n: 7 });
  });
});

describe("an answer that does not fit is never guessed at: the model is told, and gives a better one", () => {
  it.each([
    ["fenced JSON", '```json\n{"n":7,"unit":null}\n```', "JSON"],
    ["JSON with words around it", 'Here: {"n":7,"unit":null}', "JSON"],
    ["JSON that breaks off", '{"n":7,"unit":', "JSON"],
    ["a key too many", '{"n":7,"unit":null,"colour":"red"}', "colour"],
    ["a key too few", '{"unit":"m"}', "n"],
    ["a text for a number", '{"n":"7","unit":null}', "n: expected integer"],
    ["another JSON value", "[7]", "expected object"],
    ["null", "null", ""],
  ])("%s", async (_, text, word) => {
    const { output, told, steps } = await answerOf([reply.text(text), reply.text(seven)]);
    expect([output, steps]).toEqual([{ n: 7 }, 2]);
    expect(told).toEqual([expect.stringContaining(word)]);
  });

  it("as often as is allowed, and not once when that is never", async () => {
    const error = async (outputRepairs: number) => {
      await using stand = await serve(() => reply.text("no"));
      const agent = new Agent({ model: "test", client: stand.client, output: Size, outputRepairs });
      const failure = await ends(failureOf(agent.run("How big?")));
      return [failure.code, failure.result.usage.requests];
    };
    expect(await Promise.all([0, 1, 3].map(error))).toEqual([
      ["RUN_OUTPUT", 1],
      ["RUN_OUTPUT", 2],
      ["RUN_OUTPUT", 4],
    ]);
  });

  it("what is thrown and printed has no value of the answer in it", async () => {
    await using stand = await serve([reply.text('{"n":"the-secret-word","unit":null}')]);
    const agent = new Agent({ model: "test", client: stand.client, output: Size, outputRepairs: 0 });
    const error = await ends(failureOf(agent.run("How big?")));
    expect(`${error.stack} ${JSON.stringify(error)} ${JSON.stringify(error.details)}`).not.toContain("the-secret-word");
    expect(JSON.stringify(error.result.items)).toContain("the-secret-word");
  });
});

describe("a schema library has the last word", () => {
  it("its transforms make the output", async () => {
    const Made = defineOutput({
      name: "made",
      schema: z.object({ n: z.string().transform(Number), tags: z.array(z.string().transform((tag) => tag.toUpperCase())) }),
    });
    expect((await answerOf([reply.text('{"n":"7","tags":["a","b"]}')], Made)).output).toEqual({ n: 7, tags: ["A", "B"] });
  });

  it("its rules are repaired by the model as well, asynchronous ones too", async () => {
    const Even = defineOutput({
      name: "even",
      schema: z.object({ n: z.number().refine(async (n) => n % 2 === 0, { message: "must be even" }) }),
    });
    const { output, told } = await answerOf([reply.text('{"n":7}'), reply.text('{"n":8}')], Even);
    expect(output).toEqual({ n: 8 });
    expect(told[0]).toContain("n:");
  });

  it("unions, enums, lists and references inside the object are asked for and checked", async () => {
    type Tree = { name: string; children: Tree[] };
    const Tree: z.ZodType<Tree> = z.object({
      name: z.string(),
      get children() {
        return z.array(Tree);
      },
    });
    const Page = defineOutput({
      name: "page",
      schema: z.object({
        kind: z.enum(["draft", "final"]),
        block: z.union([z.object({ type: z.literal("text"), text: z.string() }), z.object({ type: z.literal("rule") })]),
        tree: Tree,
      }),
    });
    const page = { kind: "final", block: { type: "text", text: "Hi." }, tree: { name: "a", children: [{ name: "b", children: [] }] } };
    const wrong = { ...page, kind: "old" };
    const { output, told } = await answerOf([reply.text(JSON.stringify(wrong)), reply.text(JSON.stringify(page))], Page);
    expect(output).toEqual(page);
    expect(told[0]).toContain("kind");
  });
});

it.each([
  ["a list", { type: "array", items: { type: "string" } }],
  ["a choice", { enum: ["yes", "no"] }],
  ["a constant", { const: 5 }],
  ["a text", { type: "string" }],
  ["a union", { anyOf: [{ type: "object", properties: {} }, { type: "null" }] }],
])("%s at the root is refused, since the API takes objects alone: put it in a property", (_, schema) => {
  expect(() => defineOutput({ name: "x", schema: schema as object })).toThrow(expect.objectContaining({ code: "TOOL_DEFINITION" }));
});

describe.each(ways)("in the course of a run (%s)", (way) => {
  it("the format is asked for in every step, and an answer after a pause is checked too", async () => {
    for (const history of histories) {
      await using stand = await serve([reply.calls(callOf("pay", "call_1", 1)), reply.text("no"), reply.text(seven)]);
      const pay = numberTool("pay", () => "paid", { effect: "write", approval: true });
      const agent = new Agent({ model: "test", client: stand.client, output: Size, tools: [pay], history });
      const { state } = await paused(way === "run" ? agent.run("Go.") : agent.stream("Go.").result);
      const options = { decisions: [{ callId: "call_1", approve: true }] } as const;
      const text = JSON.stringify(state);
      const result = await ends(
        way === "run" ? agent.resume(text, options) : agent.stream(JSON.parse(text) as typeof state, options).result,
      );
      expect(result).toMatchObject({ stopReason: "completed", output: { n: 7 } });
      for (const { body } of stand.server.requests) expect(body.text).toMatchObject({ format: { name: "size" } });
    }
  });
});

describe("parts of an answer while it comes", () => {
  async function partsOf(replies: readonly Reply[]) {
    await using stand = await serve(replies);
    const stream = new Agent({ model: "test", client: stand.client, output: Size }).stream("How big?");
    const parts: unknown[] = [];
    for await (const part of stream.partialOutputs()) parts.push(part);
    return { parts, result: await stream.result };
  }

  it("begin with the first property, and end with the whole", async () => {
    const { parts } = await partsOf([reply.text('{"n":7,"unit":"metres"}').with({ deltaSize: 1, eventDelayMs: 1 })]);
    expect(parts[0]).toEqual({});
    expect(parts).toContainEqual({ n: 7 });
    expect(parts.at(-1)).toEqual({ n: 7, unit: "metres" });
    const texts = parts.map((part) => JSON.stringify(part).length);
    expect(texts).toEqual(texts.toSorted((a, b) => a - b));
  });

  it("may come all at once", async () => {
    const { parts } = await partsOf([reply.text(seven).with({ deltaSize: 1000 })]);
    expect(parts).toEqual([{ n: 7, unit: null }]);
  });

  it("a stream that fails ends them with its error", async () => {
    await using stand = await serve([reply.cut({ afterEvents: 6 }, reply.text(seven).with({ deltaSize: 2 }))]);
    const stream = new Agent({ model: "test", client: stand.client, output: Size }).stream("How big?");
    const read = async () => {
      for await (const _ of stream.partialOutputs());
    };
    expect(await failureOf(read())).toMatchObject({ code: "MODEL_CONNECTION" });
    await expect(stream.result).rejects.toMatchObject({ code: "MODEL_CONNECTION" });
  });

  it("leaving them ends the run", async () => {
    await using stand = await serve([reply.hang({ afterEvents: 8 }, reply.text(seven).with({ deltaSize: 2 }))]);
    const stream = new Agent({ model: "test", client: stand.client, output: Size }).stream("How big?");
    const read = async () => {
      for await (const _ of stream.partialOutputs()) break;
    };
    await ends(read());
    expect(await ends(failureOf(stream.result))).toMatchObject({ code: "RUN_ABORTED" });
  });
});
