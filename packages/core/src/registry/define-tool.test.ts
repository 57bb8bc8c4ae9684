import { describe, expect, it } from "vitest";
import { defineTool, ToolwrightError } from "../index.js";

const good = {
  name: "look",
  description: "Looks.",
  parameters: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
  execute: () => 0,
};

describe("a definition that cannot be meant is refused at once", () => {
  it.each<readonly [object | undefined, RegExp]>([
    [undefined, /A tool has the name undefined/],
    [{ ...good, name: undefined }, /A tool has the name undefined/],
    [{ ...good, name: "math.add" }, /A tool has the name "math\.add".*\nFix: Use up to 64 letters/],
    [{ ...good, name: "x".repeat(65) }, /A tool has the name "x+"/],
    [{ ...good, description: undefined }, /it has no description/],
    [{ ...good, description: " " }, /it has no description/],
    [{ ...good, execute: undefined }, /The tool look has no execute function/],
    [{ ...good, exec: () => 0 }, /The tool look has no option "exec"/],
    [{ ...good, effect: "reads" }, /its effect is "reads"/],
    [{ ...good, timeoutMs: 0 }, /its timeoutMs is 0/],
    [{ ...good, timeoutMs: 2 ** 31 }, /its timeoutMs is 2147483648/],
    [{ ...good, maxCalls: 1.5 }, /its maxCalls is 1\.5/],
    [{ ...good, idempotent: "yes" }, /its idempotent is "yes"/],
    [{ ...good, resource: 5 }, /its resource is 5/],
    [{ ...good, resource: "thing:{no}" }, /its resource names "no", which is no argument of it\.\nFix: Its arguments are id\./],
    [{ ...good, echo: ["no"] }, /its echo names "no"/],
    [{ ...good, tags: "a" }, /its tags are "a"/],
    [{ ...good, approval: false }, /The tool look has the approval false/],
    [{ ...good, approval: "decide" }, /The tool look has the approval "decide"/],
    [{ ...good, query: "ask" }, /The tool look has a query that is a string/],
    [{ ...good, compensate: true }, /The tool look has a compensate that is a boolean/],
  ])("%j", (options, message) => {
    try {
      defineTool(options as never);
      expect.unreachable();
    } catch (error) {
      expect(ToolwrightError.is(error, "TOOL_DEFINITION"), String(error)).toBe(true);
      expect((error as Error).message).toMatch(message);
      expect((error as Error).message).toContain("\nFix: ");
    }
  });

  it("and one that can is taken", () => {
    const tool = defineTool({ ...good, effect: "write", resource: ["thing:{id}", "all"], echo: ["id"], tags: ["a"], approval: () => true });
    expect(tool["~toolwright.tools"].tools()[0]?.info).toMatchObject({
      name: "look",
      resource: ["thing:{id}", "all"],
      needsApproval: true,
    });
  });
});
