import { Agent, defineTool, type FailedResult, type Middleware, ToolError, ToolwrightError } from "@toolwright/core";
import { toolErrors } from "@toolwright/core/middleware";
import { reply, startResponsesServer } from "@toolwright/testing";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";

const empty = { type: "object", properties: {} } as const;
const tools = [
  defineTool({ name: "fine", description: "Works.", effect: "read", parameters: empty, execute: () => "fine" }),
  defineTool({
    name: "leaky",
    description: "Throws a secret.",
    effect: "read",
    parameters: empty,
    execute: () => {
      throw new Error("connect db://user:pw@host", { cause: new Error("inner") });
    },
  }),
  defineTool({
    name: "closed",
    description: "Says no.",
    effect: "read",
    parameters: empty,
    execute: () => {
      throw new ToolError({ code: "CLOSED", message: "Closed today." });
    },
  }),
];

async function outputs(middleware: readonly Middleware[]) {
  await using server = await startResponsesServer([
    reply.calls(...["fine", "leaky", "closed", "missing"].map((name) => ({ callId: `call_${name}`, name }))),
    reply.text("Done."),
  ]);
  const agent = new Agent({ model: "test", client: new OpenAI({ baseURL: server.url, apiKey: "test" }), tools, middleware });
  await agent.run("Go.");
  const items = server.request(1).body["input"] as { type: string; call_id: string; output: string }[];
  const read = items.filter(({ type }) => type === "function_call_output").map(({ call_id, output }) => [call_id.slice(5), output]);
  return { read: Object.fromEntries(read) as Record<string, string>, text: server.request(1).text };
}

describe("toolErrors", () => {
  it("changes nothing without options", async () => {
    const mask = (text: string): string => text.replace(/reference [0-9a-f]+/, "reference x");
    const [without, by] = [await outputs([]), await outputs([toolErrors()])];
    for (const name of ["fine", "leaky", "closed", "missing"]) expect(mask(by.read[name] ?? "")).toBe(mask(without.read[name] ?? ""));
    expect(by.text).not.toMatch(/pw@|inner|\.ts:\d/);
    expect(JSON.parse(by.read["closed"] ?? "")).toEqual({ error: { code: "CLOSED", message: "Closed today.", retryable: false } });
  });

  it("lets the application say what the model reads", async () => {
    const { read } = await outputs([
      toolErrors({ format: (outcome, { name }) => (outcome.kind === "invalid" ? undefined : `${name} did not work.`) }),
    ]);
    expect(read).toMatchObject({ fine: "fine", leaky: "leaky did not work.", closed: "closed did not work." });
    expect(read["missing"]).toContain("TOOL_UNKNOWN");
  });

  it("shows what was thrown only with `expose`", async () => {
    const { read } = await outputs([toolErrors({ expose: true })]);
    expect(read["leaky"]).toContain("connect db://user:pw@host");
    expect(read["leaky"]).not.toMatch(/\.ts:\d/);
  });

  it("ends the run on a failure that it is told to, keeping what the others came to", async () => {
    await using server = await startResponsesServer([
      reply.calls({ callId: "call_1", name: "fine" }, { callId: "call_2", name: "leaky" }, { callId: "call_3", name: "fine" }),
      reply.text("Later."),
    ]);
    const agent = new Agent({
      model: "test",
      client: new OpenAI({ baseURL: server.url, apiKey: "test" }),
      tools,
      middleware: [toolErrors({ rethrow: ["TOOL_FAILED"] })],
    });
    const error: unknown = await agent.run("Go.").catch((caught: unknown) => caught);
    if (!ToolwrightError.is(error, "RUN_TOOL_FAILED")) throw error;
    expect(error.message).toContain('"leaky"');
    expect(error.message).not.toContain("pw@");
    expect(error.cause).toMatchObject({ message: "connect db://user:pw@host" });
    const { history, steps } = error.result as FailedResult;
    expect(steps[0]?.calls.map(({ outcome }) => outcome.kind)).toEqual(["ok", "failed", "ok"]);
    // What is kept is accepted by the next run.
    expect(await agent.run("Go on.", { history })).toMatchObject({ output: "Later." });
    server.assertDone();
  });
});
