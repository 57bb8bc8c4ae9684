// Another class of the process has rules, so class-validator is there and would refuse what has none.
import { Tool } from "@toolwright/core";
import { IsString } from "class-validator";
import { describe, expect, it } from "vitest";
import { callTool, object, toolkit } from "../support/call-tool.js";

class Decorated {
  @IsString() term!: string;
}
class Undecorated {
  term!: string;
}
interface PlainQuery {
  readonly term: string;
}
class Tools {
  @Tool({ effect: "read" })
  add(a: number, b: number): number {
    return a + b;
  }
  @Tool({ effect: "read" })
  find(query: PlainQuery): string {
    return `${Object.getPrototypeOf(query) === Object.prototype} ${query.term}`;
  }
  @Tool({ effect: "read" })
  findClass(query: Undecorated): string {
    return `${query instanceof Undecorated} ${query.term}`;
  }
  @Tool({ effect: "read" })
  findBoth(query: Undecorated, decorated: Decorated): string {
    return `${query instanceof Undecorated} ${decorated instanceof Decorated}`;
  }
}
const number = { type: "number" } as const;
const query = object({ term: { type: "string" } });

const tools = toolkit(
  Tools,
  {
    add: { parameters: object({ a: number, b: number }) },
    find: { parameters: query, call: [{ arguments: true }] },
    findClass: { parameters: query, decode: { dto: "Undecorated" }, call: [{ arguments: true }] },
    findBoth: {
      parameters: object({ query, decorated: query }),
      decode: { properties: { query: { dto: "Undecorated" }, decorated: { dto: "Decorated" } } },
    },
  },
  { Undecorated, Decorated },
);

describe("V19: class-validator is asked only where there are rules", () => {
  it.each([
    ["add", '{"a":1,"b":2}', "3", '{"a":1,"b":"2"}', "b"],
    ["find", '{"term":"x"}', "true x", '{"term":1}', "term"],
    ["findClass", '{"term":"x"}', "true x", "{}", "term"],
    [
      "findBoth",
      '{"query":{"term":"x"},"decorated":{"term":"y"}}',
      "true true",
      '{"query":{"term":"x"},"decorated":{"term":2}}',
      "decorated.term",
    ],
  ] as const)("%s takes good arguments, and names the bad one", async (method, good, output, bad, path) => {
    const { calls, issues } = await callTool(tools, method, [good, bad]);
    expect(calls[0]?.outcome).toMatchObject({ kind: "ok", output });
    expect(issues[1]).toMatchObject([{ path }]);
  });
});
