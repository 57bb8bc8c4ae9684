import { Agent, content, defineTool, type Middleware } from "@toolwright/core";
import { trimOutputs } from "@toolwright/core/middleware";
import { reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { inputOf, outputsIn, serve } from "../support/serve.js";

const parameters = { type: "object", properties: {} } as const;

async function outputOf(result: unknown, options: { maxOutputChars?: number; middleware?: readonly Middleware[] }): Promise<unknown> {
  await using stand = await serve([reply.calls({ callId: "call_1", name: "dump" }), reply.text("Done.")]);
  const dump = defineTool({ name: "dump", description: "Gives much.", effect: "read", parameters, execute: () => result });
  await new Agent({ model: "test", client: stand.client, tools: [dump], ...options }).run("Go.");
  stand.server.assertDone();
  return outputsIn(inputOf(stand.server.request(1)))[0]?.[1];
}

describe("X16: a long output does not fill the context", () => {
  it("is cut by default, and says so with both sizes and the way to the rest", async () => {
    const output = String(await outputOf("x".repeat(5_000_000), {}));
    expect(output.length).toBeLessThan(101_000);
    expect(output).toMatch(
      /\n\[Cut here: the first 100000 of 5000000 characters\. For the rest, call the tool again for a smaller part\.\]$/,
    );
  });

  it("is cut when it came from rows too", async () => {
    const rows = Array.from({ length: 50_000 }, (_, index) => ({ index, name: `row ${index}` }));
    expect(String(await outputOf(rows, {})).length).toBeLessThan(101_000);
  });

  it("has other limits by tool, and a hint of the application's own", async () => {
    const middleware = [trimOutputs({ maxChars: 1_000, tools: { dump: 5 }, hint: "Ask for page 2." })];
    expect(await outputOf("0123456789", { middleware })).toBe("01234\n[Cut here: the first 5 of 10 characters. Ask for page 2.]");
    expect(await outputOf("01234", { middleware })).toBe("01234");
  });

  it("counts text alone in an output of several parts", async () => {
    const image = { type: "image", url: `data:image/png;base64,${"A".repeat(400)}` } as const;
    const output = await outputOf(content([{ type: "text", text: "abc" }, image, { type: "text", text: "defghi" }]), { maxOutputChars: 5 });
    expect(output).toMatchObject([
      { type: "input_text", text: "abc" },
      { type: "input_image" },
      { type: "input_text", text: expect.stringMatching(/^de\n\[Cut here: the first 2 of 6/) },
    ]);
  });
});

describe("C17: a cut never goes through a character", () => {
  it.each([8, 9, 10, 11, 12])("at a limit of %i", async (maxOutputChars) => {
    const output = String(await outputOf("nineletr😀 and more", { maxOutputChars }));
    expect(output.isWellFormed()).toBe(true);
    expect(output).toContain("[Cut here");
  });
});

it("trimOutputs refuses wrong options, quoting them", () => {
  expect(() => trimOutputs({ maxChars: 0 })).toThrow(/`maxChars` must be a positive integer; it is 0/);
  expect(() => trimOutputs({ tools: { dump: -1 } })).toThrow(/`tools.dump` must be a positive integer; it is -1/);
});
