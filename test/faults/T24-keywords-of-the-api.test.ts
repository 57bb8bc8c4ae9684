import { describe, expect, test } from "vitest";
import { callTool } from "../support/call-tool.js";
import { compileToolkit } from "../support/compile-toolkit.js";
import { buildTools, expectStrictSchema } from "../support/tool-project.js";

const source = `
export class Dto {
  @v.IsUrl() url!: string;
  @v.ArrayUnique() list!: string[];
  @v.MinLength(2) name!: string;
  @v.Max(9) count!: number;
  @v.Matches(/^[A-Z]{2}-\\d+$/) code!: string;
  @v.Matches(/^(?!bad)/) safe!: string;
  @v.Length(1, 2000) text!: string;
  @v.IsInt() @v.Min(1) whole!: number;
  @v.IsEmail() mail!: string;
  @v.ArrayMaxSize(2) @v.Min(0, { each: true }) sizes!: number[];
  @v.NotEquals("no") word!: string;
  @v.IsLowercase() lower!: string;
}
export class T { /** Takes what this test is about. */ @Tool({ effect: "read" }) run(dto: Dto): string { return "ran"; } }`;

/** JSON Schema has them, the API refuses them. */
const refused =
  /"(minLength|maxLength|uniqueItems|propertyNames|patternProperties|const|default|examples|title|not|oneOf|allOf|contains)":/;

test("what the API takes is a keyword; the rest is in the description", async () => {
  const { tools, text } = await buildTools(source);
  const parameters = tools["run"]?.parameters;
  expectStrictSchema(parameters);
  expect(parameters?.properties).toEqual({
    url: { type: "string", description: "A URL." },
    list: { type: "array", description: "No two items are equal.", items: { type: "string" } },
    name: { type: "string", description: "At least 2 characters.", pattern: String.raw`^[\s\S]{2,}$` },
    count: { type: "number", maximum: 9 },
    code: { type: "string", pattern: String.raw`^[A-Z]{2}-\d+$` },
    safe: { type: "string", description: "Matches the regular expression /^(?!bad)/." },
    text: { type: "string", description: "1 to 2000 characters." },
    whole: { type: "integer", minimum: 1 },
    mail: { type: "string", format: "email" },
    sizes: { type: "array", maxItems: 2, items: { type: "number", minimum: 0 } },
    word: { type: "string", description: 'Not "no".' },
    lower: { type: "string", description: "Lower case." },
  });
  expect(text).not.toMatch(refused);
  expect(text).not.toContain('"uri"');
});

describe("at run time every rule is enforced, whatever the schema says of it", async () => {
  const tool = await compileToolkit(`import { Tool } from "@toolwright/core";\nimport * as v from "class-validator";\n${source}`, "T");
  const good = {
    ...{ url: "https://example.com", list: ["a", "b"], name: "ab", count: 9, code: "AB-1", safe: "good", text: "t", whole: 1 },
    ...{ mail: "a@example.com", sizes: [0, 1], word: "yes", lower: "low" },
  };
  const wrong: Readonly<Record<string, unknown>> = {
    ...{ url: "no url", list: ["a", "a"], name: "a", count: 10, code: "ab-1", safe: "bad", text: "", whole: 1.5, mail: "no mail" },
    ...{ sizes: [1, -1], word: "no", lower: "Low" },
  };

  test("what keeps all rules is accepted", async () => {
    const { calls } = await callTool(tool, "run", [JSON.stringify(good)]);
    expect(calls[0]?.outcome).toMatchObject({ kind: "ok", output: "ran" });
  });

  test.each(Object.keys(wrong))("%s is refused by its path", async (name) => {
    const { calls, issues } = await callTool(tool, "run", [JSON.stringify({ ...good, [name]: wrong[name] })]);
    expect(calls[0]?.outcome.kind).toBe("invalid");
    expect(issues[0]?.map(({ path }) => path.split(".")[0])).toEqual([name]);
  });
});
