import { context } from "@opentelemetry/api";
import { Agent, type AgentOptions, type Middleware, ToolError } from "@toolwright/core";
import { cache, circuitBreaker, logging, loopGuard, redact, toolSelection, untrusted } from "@toolwright/core/middleware";
import { reply } from "@toolwright/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { inputOf, outputsIn, serve, type Stand } from "../support/serve.js";
import { followContexts, telemetry, traced, tree } from "../support/telemetry.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends, forever } from "../support/wait.js";
import { failureOf, runIn, ways } from "../support/ways.js";

beforeAll(followContexts);
afterAll(() => context.disable());

type More = Omit<Partial<AgentOptions>, "output">;
const ask = (callId: string, input = "How many?") => reply.calls({ name: "helper", callId, arguments: { input } });

/** An agent with another one as its tool, `helper`, each with its own pipeline. */
function pair(stand: Stand, inner: More, outer: readonly Middleware[], timeoutMs?: number): Agent {
  const helper = new Agent({ name: "helper", model: "inner", client: stand.client, ...inner });
  const tool = helper.asTool({ name: "helper", description: "Helps.", timeoutMs });
  return new Agent({ name: "boss", model: "outer", client: stand.client, tools: [tool], middleware: outer });
}

it.each(ways)("tracing: the inner run is a child of the call that it answers: %s", async (way) => {
  await using to = await telemetry();
  await using stand = await serve([ask("call_1"), reply.calls(callOf("look", "call_2", 1)), reply.text("7"), reply.text("Seven.")]);
  const tracing = traced(to);
  await runIn(way, pair(stand, { tools: [numberTool("look", () => 7)], middleware: [tracing] }, [tracing]), "Go.");
  const { spans } = await to.flush();
  const inner = ["invoke_agent helper", "chat inner", "execute_tool look", "chat inner"];
  expect(tree(spans)).toEqual([["invoke_agent boss", "chat outer", ["execute_tool helper", inner], "chat outer"]]);
});

it.each([
  ["the outer agent", [] as const],
  ["both", ["inner"] as const],
])("logging: %s logs, and each call inside has one line, without content", async (_, inside) => {
  const written: string[] = [];
  const log = () => logging({ format: "pretty", stream: out });
  const out = { write: (line: string) => void written.push(line) };
  await using stand = await serve([
    ask("call_1", "secret-question"),
    reply.calls(callOf("look", "call_l", 4_711_001), callOf("fail", "call_f", 4_711_002), callOf("pay", "call_p", 4_711_003)),
    reply.text("secret-inner-answer"),
    reply.text("secret-answer"),
  ]);
  const fail = (n: number): never => {
    throw new ToolError({ code: "GONE", message: `There is no ${n}.` });
  };
  const tools = [
    numberTool("look", () => "secret-output"),
    numberTool("fail", fail),
    numberTool("pay", () => "paid", { effect: "write", approval: true }),
  ];
  const agent = pair(stand, { tools, middleware: inside.map(log) }, [log()]);
  const paused = await agent.run("secret-prompt");
  if (paused.stopReason !== "interrupted") throw new Error(paused.stopReason);
  await agent.resume(paused.state, { decisions: [{ callId: "call_1/call_p", approve: false, reason: "secret-reason" }] });
  const lines = written.flatMap((line) => /^step 0 {2}(.+? {2}(?:ok|failed|denied|interrupted)) {2}/.exec(line)?.[1] ?? []);
  expect(lines.toSorted()).toEqual(
    ["helper › look  ok", "helper › fail  failed", "helper › pay  interrupted", "helper › pay  denied", "helper  ok"].toSorted(),
  );
  expect(written.join("")).toContain("There is no [argument].");
  expect(written.join("")).not.toMatch(/secret|4711/);
});

it("cache: what an agent answers is made anew each time, unless it is named", async () => {
  const answers = async (middleware: Middleware): Promise<readonly unknown[]> => {
    let asked = 0;
    await using stand = await serve(({ body, index }) => {
      if (body.model === "inner") return reply.text(`Answer ${(asked += 1)}.`);
      return index < 3 ? ask(`call_${index}`) : reply.text("Done.");
    });
    const { items } = await pair(stand, {}, [middleware]).run("Go.");
    return outputsIn(items).map(([, output]) => output);
  };
  expect(await answers(cache())).toEqual(["Answer 1.", "Answer 2."]);
  expect(await answers(cache({ tools: ["helper"] }))).toEqual(["Answer 1.", "Answer 1."]);
});

it("untrusted: what an agent says is fenced, and no fence that it has seen closes this one", async () => {
  let seen = "";
  await using stand = await serve([
    ask("call_1"),
    reply.calls(callOf("look", "call_2", 1)),
    ({ context: items }) => reply.text((seen = String(items.at(-1)?.["output"]))),
    reply.text("Done."),
  ]);
  const fence = untrusted();
  const agent = pair(stand, { tools: [numberTool("look", () => "page")], middleware: [fence] }, [fence]);
  await agent.run("Go.");
  const output = String(outputsIn(inputOf(stand.server.request(3)))[0]?.[1]);
  const ids = [seen, output].map((text) => /^<untrusted-data id="([a-z]{16})"/.exec(text)?.[1]);
  expect(new Set(ids).size).toBe(2);
  expect(output).toMatch(new RegExp(`from="helper">\\n[^<]*\\n</untrusted-data id="${ids[1]}">$`));
});

it("redact: each run has placeholders of its own, and neither model sees a value", async () => {
  const email = "ann@example.com";
  await using stand = await serve([
    ask("call_1", "Write to <EMAIL_2>."),
    reply.text("Written to <EMAIL_1>."),
    ({ context: items }) => reply.text(String(items.at(-1)?.["output"])),
  ]);
  const hide = redact();
  const result = await pair(stand, { middleware: [hide] }, [hide]).run(`I am bob@example.org. Write to ${email}.`);
  expect(result.output).toBe(`Written to ${email}.`);
  expect(inputOf(stand.server.request(1))[0]?.["content"]).toBe("Write to <EMAIL_1>.");
  expect(stand.server.requests.map(({ text }) => text).join()).not.toContain(email);
});

it("loopGuard: an agent that is asked the same again and again is told of", async () => {
  await using stand = await serve(({ body, index }) => (body.model === "inner" ? reply.text("No idea.") : ask(`call_${index}`)));
  const error = await failureOf(pair(stand, { middleware: [loopGuard()] }, [loopGuard()]).run("Go."));
  expect(error).toMatchObject({ code: "RUN_BUDGET", details: { budget: "loop" } });
  expect(error.result.steps).toHaveLength(4);
});

it("circuitBreaker: what is learnt inside holds outside, and an agent whose time is over tells nothing of the server", async () => {
  const script = (inner: ReturnType<typeof reply.text> | ReturnType<typeof reply.http>) => [ask("call_1"), inner, reply.text("Done.")];
  await using broken = await serve(script(reply.http(500)));
  const shared = circuitBreaker({ failures: 1 });
  const error = await failureOf(pair(broken, { model: "outer", middleware: [shared] }, [shared]).run("Go."));
  expect(error).toMatchObject({ code: "MODEL_CIRCUIT_OPEN" });

  await using slow = await serve([ask("call_1"), reply.calls(callOf("hang", "call_2", 1)), reply.text("Done.")]);
  const other = circuitBreaker({ failures: 1, tools: true });
  const inner = { model: "outer", tools: [numberTool("hang", forever)], middleware: [other] };
  expect(await ends(pair(slow, inner, [other], 100).run("Go."))).toMatchObject({ output: "Done." });
});

it("toolSelection: each agent has a selection of its own", async () => {
  await using stand = await serve([ask("call_1"), reply.calls(callOf("look", "call_2", 1)), reply.text("7"), reply.text("Seven.")]);
  const tools = [numberTool("look", () => 7), numberTool("peek", () => 8)];
  const select = toolSelection({ select: (_, { run }) => [run.agent === "helper" ? "look" : "helper"] });
  const result = await pair(stand, { tools, middleware: [select] }, [select]).run("Go.");
  expect(result).toMatchObject({ output: "Seven." });
  expect(stand.server.requests.map(({ body }) => (body.tools ?? []).map(({ name }) => name))).toEqual([
    ["helper"],
    ["look"],
    ["look"],
    ["helper"],
  ]);
});
