import { Agent, content, defineMiddleware, type Item, type Middleware, ToolError, type ToolOutcome } from "@toolwright/core";
import { toolErrors } from "@toolwright/core/middleware";
import { reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { serve } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends } from "../support/wait.js";
import { runIn, ways } from "../support/ways.js";

const half = "\u{1F600}".slice(0, 1);
const bad = `nine lett${half}`;

/** Every text in a value, keys included. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, field]) => [key, ...textsIn(field)]);
}

const answer = (outcome: ToolOutcome): Middleware => defineMiddleware({ name: "answers", wrapToolCall: async () => outcome });
interface Source {
  readonly name: string;
  readonly execute: () => unknown;
  readonly middleware?: readonly Middleware[];
}
const source = (name: string, execute: () => unknown, ...middleware: readonly Middleware[]): Source => ({ name, execute, middleware });
const sources: readonly Source[] = [
  source("a text", () => bad),
  source("a text in an object", () => ({ [bad]: bad, list: [bad] })),
  source("a part of content()", () => content([{ type: "text", text: bad }])),
  source("a ToolError", () => Promise.reject(new ToolError({ code: "CUT", message: bad }))),
  source("a formatted error", () => Promise.reject(new Error("no")), toolErrors({ format: () => bad })),
  source("a middleware's outcome", () => "", answer({ kind: "ok", output: bad })),
  source("a middleware's parts", () => "", answer({ kind: "ok", output: [{ type: "input_text", text: bad }] })),
  source("a denial", () => "", answer({ kind: "denied", reason: bad })),
];

describe.each(ways)("C17: half a character never leaves (%s)", (way) => {
  it.each(sources)("in the output of a tool: $name", async ({ execute, middleware }) => {
    await using stand = await serve([reply.calls(callOf("cut", "call_1", 1)), reply.text("Done."), reply.text("Again.")]);
    const agent = new Agent({ model: "test", client: stand.client, tools: [numberTool("cut", execute)], middleware });
    const result = await ends(runIn(way, agent, "Cut."));
    await ends(runIn(way, agent, "Again.", { history: result.history }));
    for (const { body } of stand.server.requests) expect(textsIn(body).filter((text) => !text.isWellFormed())).toEqual([]);
    expect(textsIn(result.items).filter((text) => !text.isWellFormed())).toEqual([]);
    // All but the half is there.
    expect(stand.server.request(1).text).toContain("nine lett");
    stand.server.assertDone();
  });

  const message = (text: string): Item => ({ type: "message", role: "user", content: [{ type: "input_text", text }] });
  it.each([
    ["a question", bad, undefined],
    ["an item of the input", [message(bad)], undefined],
    [
      "an item of the history",
      "Go.",
      [message(bad), { type: "message", role: "assistant", content: [{ type: "output_text", text: bad }] }],
    ],
  ])("in %s", async (_, input, items) => {
    await using stand = await serve([reply.text("Done.")]);
    const agent = new Agent({ model: "test", client: stand.client, instructions: `Be brief. ${half}` });
    await ends(runIn(way, agent, input, { history: { kind: "local", items } }));
    expect(textsIn(stand.server.request(0).body).filter((text) => !text.isWellFormed())).toEqual([]);
    expect(stand.server.request(0).text).toContain("nine lett\uFFFD");
    stand.server.assertDone();
  });

  it("whole characters outside the basic plane come through as they are", async () => {
    const text = "\u{1F600} \u{20BB7} e\u0301 \u0000 \u2028";
    await using stand = await serve([reply.calls(callOf("echo", "call_1", 1)), reply.text("Done.").with({ chunk: "byte" })]);
    const agent = new Agent({ model: "test", client: stand.client, tools: [numberTool("echo", () => text)] });
    await ends(runIn(way, agent, text));
    const texts = textsIn(stand.server.request(1).body);
    expect(texts.filter((each) => each === text)).toHaveLength(2);
  });
});
