import { Agent, defineMiddleware, defineTool } from "@toolwright/core";
import { reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { errorIn, inputOf, outputsIn, serve } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends, sleep } from "../support/wait.js";
import { outputOf } from "./support.js";

describe("what a tool gets", () => {
  it("is what the schema library makes of the arguments: transforms, defaults and rules of its own", async () => {
    const tool = defineTool({
      name: "act",
      description: "Acts.",
      effect: "read",
      parameters: z.object({ date: z.string().transform((text) => text.length), limit: z.number().optional().default(10) }),
      execute: (args) => args,
    });
    expect(await outputOf(tool, { date: "2026", limit: null })).toBe('{"date":4,"limit":10}');
  });

  it("an optional argument that the model leaves out is left out; one that may be null may be null", async () => {
    const tool = defineTool({
      name: "act",
      description: "Acts.",
      effect: "read",
      parameters: z.object({ a: z.string().optional(), b: z.string().nullable() }),
      execute: (args) => [Object.keys(args), args.b],
    });
    expect(await outputOf(tool, { a: null, b: null })).toBe('[["b"],null]');
  });

  it("rules that a schema cannot say are answered like wrong types, naming the place", async () => {
    const tool = defineTool({
      name: "act",
      description: "Acts.",
      effect: "read",
      parameters: z
        .object({ from: z.number(), to: z.number() })
        .refine(({ from, to }) => from < to, { path: ["to"], message: "must be later" }),
      execute: () => "ran",
    });
    const error = errorIn(await outputOf(tool, { from: 2, to: 1 }));
    expect(error).toMatchObject({ code: "TOOL_ARGUMENTS_INVALID", issues: [{ path: "to" }] });
  });

  it("objects of its own, which it may change without harm to the run", async () => {
    await using stand = await serve([reply.calls({ callId: "call_1", name: "act", arguments: { list: [1] } }), reply.text("Done.")]);
    const tool = defineTool({
      name: "act",
      description: "Acts.",
      effect: "read",
      parameters: z.object({ list: z.array(z.number()) }),
      execute: ({ list }) => {
        list.push(2);
        return list;
      },
    });
    const result = await ends(new Agent({ model: "test", client: stand.client, tools: [tool] }).run("Go."));
    expect(result.steps[0]?.calls[0]).toMatchObject({ arguments: { list: [1] }, outcome: { output: "[1,2]" } });
    expect(inputOf(stand.server.request(1))[1]).toMatchObject({ arguments: '{"list":[1]}' });
  });

  it("what a middleware has made of its arguments, which the record and the history leave as the model wrote them", async () => {
    const later = defineMiddleware({
      name: "later",
      traits: ["changes-arguments"],
      wrapToolCall: (call, next) => next({ ...call, arguments: { n: Number(call.arguments["n"]) + 1 } }),
    });
    await using stand = await serve([reply.calls(callOf("look", "call_1", 1)), reply.text("Done.")]);
    const agent = new Agent({ model: "test", client: stand.client, tools: [numberTool("look", (n) => n)], middleware: [later] });
    await ends(agent.run("Go."));
    expect(inputOf(stand.server.request(1)).slice(1)).toMatchObject([{ arguments: '{"n":1}' }, { output: "2" }]);
  });
});

describe("tools of the same reply", () => {
  it("are all answered, though one of them throws at once and one hangs until its time is over", async () => {
    await using stand = await serve([
      reply.calls(callOf("bad", "call_1", 1), callOf("hang", "call_2", 1), callOf("look", "call_3", 1)),
      reply.text("Done."),
    ]);
    const tools = [
      numberTool("bad", () => {
        throw new Error("x");
      }),
      numberTool("hang", () => new Promise(() => {}), { timeoutMs: 60 }),
      numberTool("look", () => "seen"),
    ];
    await ends(new Agent({ model: "test", client: stand.client, tools }).run("Go."));
    const outputs = outputsIn(inputOf(stand.server.request(1))).map(([callId, output]) => [
      callId,
      /TOOL_[A-Z]+|seen/.exec(String(output))?.[0],
    ]);
    expect(outputs).toEqual([
      ["call_1", "TOOL_FAILED"],
      ["call_2", "TOOL_TIMEOUT"],
      ["call_3", "seen"],
    ]);
  });

  it("begin in the model's order, all before the first has ended, unless fewer are allowed at once", async () => {
    const traceOf = async (concurrency: number | undefined) => {
      await using stand = await serve([reply.calls(...[1, 2, 3].map((n) => callOf("look", `call_${n}`, n))), reply.text("Done.")]);
      const trace: string[] = [];
      const look = numberTool("look", async (n) => {
        trace.push(`+${n}`);
        await sleep(2);
        trace.push(`-${n}`);
        return n;
      });
      await ends(new Agent({ model: "test", client: stand.client, tools: [look], concurrency }).run("Go."));
      return trace.join(" ");
    };
    expect((await traceOf(undefined)).startsWith("+1 +2 +3")).toBe(true);
    expect(await traceOf(1)).toBe("+1 -1 +2 -2 +3 -3");
  });
});

describe("definitions that go to the model", () => {
  it("are strict, closed and in the agent's order, in every request the same", async () => {
    await using stand = await serve([reply.calls(callOf("b", "call_1", 1)), reply.text("Done.")]);
    const tools = ["b", "a", "c"].map((name) => numberTool(name, () => 1));
    await ends(new Agent({ model: "test", client: stand.client, tools }).run("Go."));
    const sent = stand.server.request(0).body.tools ?? [];
    expect(sent.map(({ name, strict }) => [name, strict])).toEqual([
      ["b", true],
      ["a", true],
      ["c", true],
    ]);
    expect(sent[0]?.parameters).toMatchObject({ type: "object", additionalProperties: false, required: ["n"] });
    expect(stand.server.request(1).body.tools).toEqual(sent);
  });

  it("an agent without tools sends none, nor a choice among them", async () => {
    await using stand = await serve([reply.text("Hello.")]);
    await ends(new Agent({ model: "test", client: stand.client, settings: { parallel_tool_calls: true } }).run("Hi."));
    const { body } = stand.server.request(0);
    expect([body.tools ?? [], body["tool_choice"], body["parallel_tool_calls"]]).toEqual([[], undefined, undefined]);
  });

  it("names that are parts of prototypes are names like any", async () => {
    await using stand = await serve([
      reply.calls({ callId: "call_1", name: "constructor", arguments: { n: 1 } }, { callId: "call_2", name: "toString" }),
      reply.text("Done."),
    ]);
    const agent = new Agent({ model: "test", client: stand.client, tools: [numberTool("constructor", () => "built")] });
    await ends(agent.run("Go."));
    const outputs = outputsIn(inputOf(stand.server.request(1)));
    expect(outputs[0]?.[1]).toBe("built");
    expect(errorIn(outputs[1]?.[1]).code).toBe("TOOL_UNKNOWN");
  });
});
