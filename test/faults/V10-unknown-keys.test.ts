import { defineTool, Tool } from "@toolwright/core";
import { IsString } from "class-validator";
import { describe, expect, it } from "vitest";
import { callTool, object, toolkit } from "../support/call-tool.js";

class Query {
  @IsString() term!: string;
}
const delivered: object[] = [];
class Search {
  @Tool({ effect: "read" })
  search(query: Query): string {
    delivered.push(query);
    return "found";
  }
}
const where = object({ term: { type: "string" }, inner: object({ a: { type: "string" } }) });
const asClass = toolkit(
  Search,
  { search: { parameters: object({ term: { type: "string" } }), decode: { dto: "Query" }, call: [{ arguments: true }] } },
  { Query },
);
const defined = defineTool({
  name: "search",
  description: "Searches.",
  effect: "read",
  parameters: { type: "object", properties: where.properties, required: where.required },
  execute: (args) => {
    delivered.push(args);
    return "found";
  },
});

describe("V10: unknown keys are refused by name and never delivered", () => {
  it("at the root, of a class", async () => {
    const before = delivered.length;
    const { issues } = await callTool(asClass, "search", ['{"term":"x","isAdmin":true}']);
    expect(issues).toEqual([[{ path: "isAdmin", expected: 'only the keys "term"', received: "an unknown key" }]]);
    expect(delivered).toHaveLength(before);
  });

  it("nested, of a defined tool, which closes its schema by itself", async () => {
    const before = delivered.length;
    const { issues, requests } = await callTool(defined, "search", ['{"term":"x","inner":{"a":"1","isAdmin":true}}']);
    expect(issues).toMatchObject([[{ path: "inner.isAdmin", received: "an unknown key" }]]);
    expect(delivered).toHaveLength(before);
    expect(requests[0]?.tools[0]).toMatchObject({ parameters: { additionalProperties: false }, strict: true });
  });

  it("so that the tool gets the declared keys exactly", async () => {
    await callTool(asClass, "search", ['{"term":"x"}']);
    await callTool(defined, "search", ['{"inner":{"a":"1"},"term":"x"}']);
    expect(delivered.slice(-2).map(Object.keys)).toEqual([["term"], ["term", "inner"]]);
  });
});
