import { describe, expect, test } from "vitest";
import { command, ordersFile, run } from "../test-support/run-command.js";
import { temporaryProject } from "../test-support/temporary-project.js";

describe("the command toolwright schema", () => {
  test("prints what the model sees", async () => {
    using project = temporaryProject({ "src/orders.ts": ordersFile });
    expect(await run(command, project.directory, "schema", "add_lines")).toEqual({
      code: 0,
      out: `OrderTools.addLines
{
  "type": "function",
  "name": "add_lines",
  "description": "Adds lines to an order, and tells the new total.",
  "parameters": {
    "type": "object",
    "properties": {
      "orderId": { "type": "string", "description": "Id of the order, e.g. 2024-17." },
      "lines": {
        "type": "array",
        "description": "The lines to add.",
        "items": {
          "type": "object",
          "properties": {
            "sku": { "type": "string", "description": "Article number, e.g. A-17." },
            "count": { "type": ["integer", "null"], "description": "How many. Default: 1.", "minimum": 1 }
          },
          "required": ["sku", "count"],
          "additionalProperties": false
        }
      }
    },
    "required": ["orderId", "lines"],
    "additionalProperties": false
  },
  "strict": true
}
`,
      error: "",
    });
    const plain = await run(command, project.directory, "schema", "OrderTools.addLines", "--json");
    expect(JSON.parse(plain.out)).toMatchObject({ type: "function", name: "add_lines", strict: true });
  });

  test("suggests what was meant", async () => {
    using project = temporaryProject({ "src/orders.ts": ordersFile });
    expect(await run(command, project.directory, "schema", "add_line")).toEqual({
      code: 1,
      out: "",
      error: 'There is no tool or output "add_line".\nFix: Did you mean add_lines?\n',
    });
  });
});
