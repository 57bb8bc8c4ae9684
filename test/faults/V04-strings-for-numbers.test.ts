import { Tool } from "@toolwright/core";
import { IsBoolean, IsNumber } from "class-validator";
import { describe, expect, it } from "vitest";
import { callTool, object, toolkit } from "../support/call-tool.js";

class Page {
  @IsNumber() limit!: number;
  @IsBoolean() newest!: boolean;
}

const delivered: unknown[] = [];
class Finder {
  @Tool({ effect: "read" })
  find(count: number, code: string, page: Page, sizes: number[], ratio?: number): string {
    delivered.push({ count, code, page: { ...page }, sizes, ratio });
    return "found";
  }
}
const find = toolkit(
  Finder,
  {
    find: {
      parameters: object({
        count: { type: "integer" },
        code: { type: "string" },
        page: object({ limit: { type: "number" }, newest: { type: "boolean" } }),
        sizes: { type: "array", items: { type: "number" } },
        ratio: { type: ["number", "null"] },
      }),
      decode: { optional: ["ratio"], properties: { page: { dto: "Page" } } },
    },
  },
  { Page },
);
const good = { count: 1, code: "007", page: { limit: 10, newest: true }, sizes: [1, 2.5], ratio: null };

/** What lesser servers send, and what looks like it. */
const texts = ["180", "12abc", " 7 ", "1e3", "", "0", "-1", "0x10", "1,5", "NaN", "Infinity", "true", "null"];

describe("V04: a string is no number and no boolean, whatever it says", () => {
  it.each(texts)("%j is refused wherever a number is expected, by the same rule at every depth", async (text) => {
    const before = delivered.length;
    const { issues, calls } = await callTool(find, "find", [
      JSON.stringify({ ...good, count: text }),
      JSON.stringify({ ...good, page: { limit: text, newest: text } }),
      JSON.stringify({ ...good, sizes: [1, text] }),
      JSON.stringify({ ...good, ratio: text }),
    ]);
    expect(issues).toEqual([
      [{ path: "count", expected: "integer", received: "string" }],
      [
        { path: "page.limit", expected: "number", received: "string" },
        { path: "page.newest", expected: "boolean", received: "string" },
      ],
      [{ path: "sizes.1", expected: "number", received: "string" }],
      [{ path: "ratio", expected: "number or null", received: "string" }],
    ]);
    expect(calls.map(({ attempts }) => attempts)).toEqual([0, 0, 0, 0]);
    expect(delivered).toHaveLength(before);
  });

  it("the model reads which value to send as what, and that the same call would fail again", async () => {
    const { requests } = await callTool(find, "find", [JSON.stringify({ ...good, count: "180" })]);
    const output = requests[1]?.input.find(({ type }) => type === "function_call_output")?.["output"];
    expect(JSON.parse(String(output))).toEqual({
      error: {
        code: "TOOL_ARGUMENTS_INVALID",
        message: expect.stringContaining("find") as string,
        retryable: false,
        issues: [{ path: "count", expected: "integer", received: "string" }],
      },
    });
    // The value itself may be private, and is of no help.
    expect(String(output)).not.toContain("180");
  });

  it("a string stays the string that it is, and a number is none", async () => {
    const before = delivered.length;
    const codes = ["007", "1e3", " 7 ", "true", ""];
    const { issues } = await callTool(find, "find", [
      ...codes.map((code) => JSON.stringify({ ...good, code })),
      JSON.stringify({ ...good, code: 7 }),
      JSON.stringify({ ...good, code: true }),
    ]);
    expect(delivered.slice(before)).toEqual(codes.map((code) => ({ ...good, code, ratio: undefined })));
    expect(issues.slice(codes.length)).toEqual([
      [{ path: "code", expected: "string", received: "integer" }],
      [{ path: "code", expected: "string", received: "boolean" }],
    ]);
  });
});
