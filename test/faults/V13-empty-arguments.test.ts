import { Agent, Tool } from "@toolwright/core";
import { reply, startResponsesServer } from "@toolwright/testing";
import { IsInt, IsString } from "class-validator";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { callTool, object, toolkit } from "../support/call-tool.js";

class AllOptional {
  @IsInt() page?: number;
  @IsString() term?: string = "all";
}
class Needed {
  @IsString() term!: string;
}
class Tools {
  @Tool({ effect: "read" })
  now(): string {
    return `now ${arguments.length}`;
  }
  @Tool({ effect: "read" })
  list(query: AllOptional): string {
    return `${query.constructor.name} ${JSON.stringify(query)}`;
  }
  @Tool({ effect: "read" })
  find(_query: Needed): string {
    return "found";
  }
}
const tools = toolkit(
  Tools,
  {
    now: { parameters: object({}) },
    list: {
      parameters: object({ page: { type: ["integer", "null"] }, term: { type: ["string", "null"] } }),
      decode: { dto: "AllOptional", optional: ["page", "term"] },
      call: [{ arguments: true }],
    },
    find: { parameters: object({ term: { type: "string" } }), decode: { dto: "Needed" }, call: [{ arguments: true }] },
  },
  { AllOptional, Needed },
);

const texts = ["", "  ", "null", "{}"];

describe("V13: no arguments text at all means no arguments", () => {
  it("runs a tool without parameters", async () => {
    const { calls } = await callTool(tools, "now", texts);
    expect(calls.map(({ outcome }) => outcome)).toEqual(texts.map(() => expect.objectContaining({ kind: "ok", output: "now 0" })));
  });

  it("runs a tool whose parameters are all optional", async () => {
    const { calls } = await callTool(tools, "list", texts);
    expect(calls.map(({ outcome }) => outcome)).toEqual(
      texts.map(() => expect.objectContaining({ kind: "ok", output: 'AllOptional {"term":"all"}' })),
    );
  });

  it("names what a tool needs", async () => {
    const { issues } = await callTool(tools, "find", texts);
    expect(issues).toEqual(texts.map(() => [{ path: "term", expected: "string", received: "nothing" }]));
  });

  it("keeps the text as it came, in this run and in the next", async () => {
    const { requests } = await callTool(tools, "now", texts);
    const replayed = requests[1]?.input.filter(({ type }) => type === "function_call").map((call) => call["arguments"]);
    expect(replayed).toEqual(texts);

    await using server = await startResponsesServer([
      reply.calls({ callId: "call_1", name: "now", arguments: "" }),
      reply.text("It is."),
      reply.text("Yes."),
    ]);
    const agent = new Agent({ model: "test", client: new OpenAI({ baseURL: server.url, apiKey: "test" }), tools: [tools] });
    const { history } = await agent.run("What time is it?");
    await agent.run("Really?", { history });
    expect(server.request(2).body.input).toContainEqual(
      expect.objectContaining({ type: "function_call", call_id: "call_1", arguments: "" }),
    );
    server.assertDone();
  });
});
