import { Agent, content, defineTool, ToolError } from "@toolwright/core";
import { toolErrors } from "@toolwright/core/middleware";
import { reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { errorIn, serve } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends, sleep } from "../support/wait.js";
import { failureOf } from "../support/ways.js";
import { outputOf } from "./support.js";

const plain = (execute: (args: Record<string, unknown>) => unknown) =>
  defineTool({ name: "act", description: "Acts.", effect: "read", parameters: { type: "object", properties: {} }, execute });

describe("how a tool answers", () => {
  it.each<readonly [string, () => unknown]>([
    ["at once", () => "yes"],
    ["by a promise", async () => "yes"],
    ["later", () => sleep(5).then(() => "yes")],
  ])("%s", async (_, execute) => {
    expect(await outputOf(plain(execute), {})).toBe("yes");
  });

  it.each<readonly [string, unknown, string]>([
    ["a text", "as it is", "as it is"],
    ["no text", "", ""],
    ["an object", { a: [1, null] }, '{"a":[1,null]}'],
    ["a list", [], "[]"],
    ["a number", 0, "0"],
    ["a truth value", false, "false"],
    ["null", null, "null"],
    ["nothing", undefined, "null"],
  ])("with %s", async (_, value, text) => {
    expect(
      await outputOf(
        plain(() => value),
        {},
      ),
    ).toBe(text);
  });

  it("with what looks like content, but was not made by `content`: as JSON", async () => {
    expect(
      await outputOf(
        plain(() => [{ type: "text", text: "hi" }]),
        {},
      ),
    ).toBe('[{"type":"text","text":"hi"}]');
  });

  it("with texts, images and files, by address, by id and by their bytes", async () => {
    const png = "data:image/png;base64,iVBORw0KGgo=";
    const parts = content([
      { type: "text", text: "See." },
      { type: "image", url: png },
      { type: "image", fileId: "file_1" },
      { type: "file", url: "https://example.com/a.pdf" },
    ]);
    expect(
      await outputOf(
        plain(() => parts),
        {},
      ),
    ).toMatchObject([
      { type: "input_text", text: "See." },
      { type: "input_image", image_url: png },
      { type: "input_image", file_id: "file_1" },
      { type: "input_file", file_url: "https://example.com/a.pdf" },
    ]);
  });
});

describe("how a tool fails", () => {
  it.each<readonly [string, unknown]>([
    ["an error", new Error("host-17 said no")],
    ["a text", "host-17 said no"],
    ["an object", { secret: "host-17" }],
    ["nothing", undefined],
    ["null", null],
  ])("by %s that it throws: the model reads that it failed, and no more", async (_, thrown) => {
    const throws = plain(() => {
      throw thrown;
    });
    const output = await outputOf(throws, {});
    expect(errorIn(output)).toMatchObject({
      code: "TOOL_FAILED",
      message: expect.stringMatching(/^The tool failed \(reference [0-9a-f]+\)\.$/),
    });
    expect(output).not.toContain("host-17");
  });

  it("in its own public words, whose code and message the model reads", async () => {
    const throws = plain(() => {
      throw new ToolError({ code: "NO_SUCH_ORDER", message: "There is no order 7.", retryable: false });
    });
    expect(errorIn(await outputOf(throws, {}))).toEqual({ code: "NO_SUCH_ORDER", message: "There is no order 7.", retryable: false });
  });

  it("in words of the application's, of an outcome with its tool and arguments", async () => {
    const throws = plain(() => {
      throw new ToolError({ code: "NO", message: "No." });
    });
    const format = toolErrors({ format: (outcome, call) => `${call.name}: ${outcome.kind}` });
    expect(await outputOf(throws, {}, [format])).toBe("act: failed");
    expect(await outputOf(throws, { x: 1 }, [format])).toBe("act: invalid");
  });

  it("a formatter that throws ends the run by its name, and what the tool came to is kept", async () => {
    await using stand = await serve([reply.calls(callOf("look", "call_1", 1), callOf("bad", "call_2", 1))]);
    const bad = numberTool("bad", () => {
      throw new Error("x");
    });
    const format = toolErrors({
      format: () => {
        throw new Error("formatter");
      },
    });
    const agent = new Agent({ model: "test", client: stand.client, tools: [numberTool("look", () => "seen"), bad], middleware: [format] });
    const error = await ends(failureOf(agent.run("Go.")));
    expect(error).toMatchObject({ code: "RUN_MIDDLEWARE", message: expect.stringContaining('"toolErrors"') });
    expect(error.result.steps[0]?.calls.map(({ outcome }) => outcome.kind)).toEqual(["ok", "failed"]);
  });
});
