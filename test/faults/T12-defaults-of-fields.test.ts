import { describe, expect, test } from "vitest";
import { callTool } from "../support/call-tool.js";
import { compileToolkit } from "../support/compile-toolkit.js";
import { buildTools, expectStrictSchema } from "../support/tool-project.js";

const source = `
const DEFAULT_SIZE = 25;
export enum Mode { Fast = "fast", Slow = "slow" }
export class Line { sku = "none"; count = 1 }
export class Query {
  limit = 10;
  mode: Mode = Mode.Fast;
  size = DEFAULT_SIZE;
  text = "";
  deep = true;
  tags: string[] = ["a"];
  lines: Line[] = [];
  seed = Math.trunc(7.5);
}
export class T {
  /** Gives back what it was called with. */ @Tool({ effect: "read" })
  find(query: Query): unknown { return { class: query.constructor.name, ...query }; }
  /** Gives back its parameters as they are. */ @Tool({ effect: "read" })
  list(page = 1, mode: Mode = Mode.Slow, note?: string): unknown { return [page, mode, note === undefined]; }
}`;

const fields = ["limit", "mode", "size", "text", "deep", "tags", "lines", "seed"];
const nulls = Object.fromEntries(fields.map((name) => [name, null]));
const defaults = { class: "Query", limit: 10, mode: "fast", size: 25, text: "", deep: true, tags: ["a"], lines: [], seed: 7 };

test("initialised fields are required and nullable, their descriptions tell the default, and no `default` is sent", async () => {
  const { tools, text } = await buildTools(source);
  const parameters = tools["find"]?.parameters;
  expectStrictSchema(parameters);
  expect(parameters?.required).toEqual(fields);
  expect(parameters?.properties).toMatchObject({
    limit: { type: ["number", "null"], description: "Default: 10." },
    mode: { type: ["string", "null"], enum: ["fast", "slow", null], description: 'Default: "fast".' },
    size: { type: ["number", "null"], description: "Default: 25." },
    text: { type: ["string", "null"], description: 'Default: "".' },
    deep: { type: ["boolean", "null"], description: "Default: true." },
    tags: { type: ["array", "null"], description: 'Default: ["a"].' },
    lines: { type: ["array", "null"], description: "Default: []." },
    seed: { type: ["number", "null"], description: "Has a default." },
  });
  expect(text).not.toContain('"default"');
  expect(text).not.toContain("Math.trunc");
});

describe("at run time", async () => {
  const tool = await compileToolkit(`import { Tool } from "@toolwright/core";\n${source}`, "T");

  test("null yields the initialiser, at every depth; 0, '' and false are kept", async () => {
    const { calls } = await callTool(tool, "find", [
      JSON.stringify(nulls),
      JSON.stringify({ ...nulls, limit: 0, text: "", deep: false, tags: [], mode: "slow" }),
      JSON.stringify({
        ...nulls,
        lines: [
          { sku: null, count: 0 },
          { sku: "x", count: null },
        ],
      }),
    ]);
    const outputs = calls.map(({ outcome }) => (outcome.kind === "ok" ? JSON.parse(String(outcome.output)) : outcome));
    expect(outputs).toEqual([
      defaults,
      { ...defaults, limit: 0, deep: false, tags: [], mode: "slow" },
      {
        ...defaults,
        lines: [
          { sku: "none", count: 0 },
          { sku: "x", count: 1 },
        ],
      },
    ]);
  });

  test("so do parameters", async () => {
    const { calls } = await callTool(tool, "list", ['{"page":null,"mode":null,"note":null}', '{"page":0,"mode":"fast","note":""}']);
    expect(calls.map(({ outcome }) => outcome)).toMatchObject([
      { kind: "ok", output: '[1,"slow",true]' },
      { kind: "ok", output: '[0,"fast",false]' },
    ]);
  });
});
