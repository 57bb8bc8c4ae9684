import { Tool } from "@toolwright/core";
import { IsString, ValidateNested } from "class-validator";
import { describe, expect, it } from "vitest";
import { callTool, object, toolkit } from "../support/call-tool.js";

class Item {
  @IsString() a!: string;
}
class Query {
  @IsString() term!: string;
  @ValidateNested() inner!: Item;
  @ValidateNested({ each: true }) items!: Item[];
}
const delivered: Query[] = [];
class Search {
  @Tool({ effect: "read" })
  search(query: Query): string {
    delivered.push(query);
    return "found";
  }
}
const item = object({ a: { type: "string" } });
const parameters = object({ term: { type: "string" }, inner: item, items: { type: "array", items: item } });
const decode = { dto: "Query", properties: { inner: { dto: "Item" }, items: { items: { dto: "Item" } } } };
const search = toolkit(Search, { search: { parameters, decode, call: [{ arguments: true }] } }, { Query, Item });
const pollution = '{"polluted":true,"toString":null}';

describe("V11: keys that name parts of prototypes are unknown keys", () => {
  it.each(["__proto__", "constructor", "prototype", "toString", "\\u005f_proto__"])(
    "refuses %s at the root, nested and in arrays",
    async (key) => {
      const name = JSON.parse(`"${key}"`) as string;
      const { issues } = await callTool(search, "search", [
        `{"term":"x","inner":{"a":"1"},"items":[],"${key}":${pollution}}`,
        `{"term":"x","inner":{"a":"1","${key}":${pollution}},"items":[]}`,
        `{"term":"x","inner":{"a":"1"},"items":[{"a":"1","${key}":${pollution}}]}`,
      ]);
      expect(issues.map((each) => each.map(({ path, received }) => [path, received]))).toEqual([
        [[name, "an unknown key"]],
        [[`inner.${name}`, "an unknown key"]],
        [[`items.0.${name}`, "an unknown key"]],
      ]);
      expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
      expect((new Query() as { polluted?: unknown }).polluted).toBeUndefined();
      expect(delivered).toEqual([]);
    },
  );

  it("leaves the prototypes of what arrives alone", async () => {
    await callTool(search, "search", ['{"term":"x","inner":{"a":"1"},"items":[{"a":"2"}]}']);
    const query = delivered[0] as Query;
    expect([query, query.inner, query.items[0]].map(Object.getPrototypeOf)).toEqual([Query.prototype, Item.prototype, Item.prototype]);
    expect(query.toString()).toBe("[object Object]");
  });
});
