import { Tool } from "@toolwright/core";
import { IsInt, IsOptional, IsString, ValidateNested } from "class-validator";
import { describe, expect, it } from "vitest";
import { callTool, object, toolkit } from "../support/call-tool.js";

class Filter {
  @IsString() tag!: string;
  @IsInt() limit?: number;
}
class Query {
  @IsString() term!: string;
  @IsOptional() @IsInt() page?: number;
  /** Without @IsOptional: the type says it. */
  @IsInt() size?: number;
  @IsInt() start?: number = 10;
  @ValidateNested() filter?: Filter;
  @ValidateNested({ each: true }) filters!: Filter[];
}

const seen: unknown[] = [];
class Search {
  @Tool({ effect: "read" })
  search(query: Query): string {
    seen.push(query);
    return "found";
  }
  @Tool({ effect: "read" })
  list(term: string, page = 1, size?: number): string {
    return `${term} ${page} ${String(size)} ${arguments.length}`;
  }
  @Tool({ effect: "read" })
  keep(note: string | null): string {
    return String(note);
  }
}

const nullableInteger = { type: ["integer", "null"] } as const;
const filter = object({ tag: { type: "string" }, limit: nullableInteger });
const filterPlan = { dto: "Filter", optional: ["limit"] };
const tools = toolkit(
  Search,
  {
    search: {
      parameters: object({
        term: { type: "string" },
        page: nullableInteger,
        size: nullableInteger,
        start: nullableInteger,
        filter: { anyOf: [filter, { type: "null" }] },
        filters: { type: "array", items: filter },
      }),
      decode: {
        dto: "Query",
        optional: ["page", "size", "start", "filter"],
        properties: { filter: { anyOf: [filterPlan, null] }, filters: { items: filterPlan } },
      },
      call: [{ arguments: true }],
    },
    list: {
      parameters: object({ term: { type: "string" }, page: nullableInteger, size: nullableInteger }),
      decode: { optional: ["page", "size"] },
    },
    keep: { parameters: object({ note: { type: ["string", "null"] } }) },
  },
  { Query, Filter },
);

describe("V01: null for an optional property means that it is absent", () => {
  it("arrives without the key, at every depth and in arrays, with and without @IsOptional", async () => {
    const text =
      '{"term":"x","page":null,"size":null,"start":null,"filter":{"tag":"a","limit":null},"filters":[{"tag":"b","limit":null},{"tag":"c","limit":3}]}';
    const { calls } = await callTool(tools, "search", [text]);
    expect(calls[0]?.outcome).toMatchObject({ kind: "ok", output: "found" });
    const query = seen.at(-1) as Query;
    expect(["page" in query, "size" in query, "limit" in (query.filter as Filter)]).toEqual([false, false, false]);
    expect(query.filters.map((each) => "limit" in each)).toEqual([false, true]);
    // An initialiser applies, since nothing overwrites it.
    expect(query.start).toBe(10);
    expect([query, query.filter, query.filters[0]].map((each) => each?.constructor)).toEqual([Query, Filter, Filter]);
  });

  it("is the same for a nested object, and for keys that a lesser server leaves out", async () => {
    const { calls } = await callTool(tools, "search", [
      '{"term":"x","page":null,"size":null,"start":null,"filter":null,"filters":[]}',
      '{"term":"x","filters":[]}',
    ]);
    expect(calls.map(({ outcome }) => outcome.kind)).toEqual(["ok", "ok"]);
    expect(seen.slice(-2).map((query) => "filter" in (query as Query))).toEqual([false, false]);
    expect(calls.map((call) => call.arguments)).toEqual([
      { term: "x", filters: [] },
      { term: "x", filters: [] },
    ]);
  });

  it("lets the default of a parameter apply", async () => {
    const { calls } = await callTool(tools, "list", ['{"term":"x","page":null,"size":null}', '{"term":"x","page":4,"size":5}']);
    expect(calls.map(({ outcome }) => outcome)).toMatchObject([{ output: "x 1 undefined 3" }, { output: "x 4 5 3" }]);
  });

  it("keeps a declared null", async () => {
    expect((await callTool(tools, "keep", ['{"note":null}'])).calls[0]?.outcome).toMatchObject({ kind: "ok", output: "null" });
  });
});
