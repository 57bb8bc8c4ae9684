import { fileURLToPath, pathToFileURL } from "node:url";
import { join } from "node:path";
import { buildProject } from "@toolwright/cli";
import type { AgentTool } from "@toolwright/core";
import { describe, expect, it } from "vitest";
import { scratchProject } from "../support/build-source.js";
import { callTool } from "../support/call-tool.js";

const source = `
import { Tool } from "@toolwright/core";
import { IsInt, IsOptional, Min, ValidateNested } from "class-validator";
import { Expose } from "class-transformer";

export class Window {
  from?: Date;
  @Expose() size = 5;
  label: string | null = "all";
}
export class Base {
  @IsOptional() @IsInt() page?: number;
  @Min(1) limit = 20;
}
export class Query extends Base {
  term!: string;
  note?: string | null;
  @IsOptional() @ValidateNested() window?: Window;
  tags: string[] = ["new"];
  override limit = 10;
}

export class Search {
  readonly seen: Query[] = [];
  private count = 0;
  constructor(private readonly owner = "nobody") {}

  /** Tells what the method sees of its arguments. */
  @Tool({ effect: "read" })
  search(query: Query): object {
    this.seen.push(query);
    this.count += 1;
    return {
      owner: this.owner,
      json: JSON.parse(JSON.stringify(query)),
      keys: Object.keys(query).sort(),
      isIn: ["page", "limit", "note", "window", "tags"].filter((name) => name in query),
      window: query.window === undefined ? null : Object.keys(query.window).sort(),
      instances: [query instanceof Query, query.window === undefined || query.window instanceof Window],
    };
  }
}
`;

const absent = { term: "a", page: null, limit: null, note: null, window: null, tags: null };
const whole = { term: "b", page: 2, limit: 1, note: "n", window: { from: "2024-05-01T10:00:00Z", size: 1, label: null }, tags: [] };
const calls = [absent, whole, { ...absent, window: { from: null, size: null, label: "x" } }];
const expected = [
  {
    owner: "nobody",
    json: { limit: 10, tags: ["new"], term: "a", note: null },
    keys: ["limit", "note", "tags", "term"],
    isIn: ["limit", "note", "tags"],
    window: null,
    instances: [true, true],
  },
  {
    owner: "nobody",
    json: { ...whole, window: { ...whole.window, from: "2024-05-01T10:00:00.000Z" } },
    keys: ["limit", "note", "page", "tags", "term", "window"],
    isIn: ["page", "limit", "note", "window", "tags"],
    window: ["from", "label", "size"],
    instances: [true, true],
  },
  {
    owner: "nobody",
    json: { limit: 10, tags: ["new"], term: "a", note: null, window: { size: 5, label: "x" } },
    keys: ["limit", "note", "tags", "term", "window"],
    isIn: ["limit", "note", "window", "tags"],
    window: ["label", "size"],
    instances: [true, true],
  },
];

/**
 * What the tool says when a compiler has made its class fields in one way or the other. The keys are sorted: fields that are
 * defined come in the order of their declarations, the others as they are assigned.
 */
async function seenWith(options: object): Promise<readonly unknown[]> {
  using project = scratchProject({ "src/search.ts": source }, { ...options, outDir: "dist", skipLibCheck: true, types: [] });
  project.install(["class-validator", "class-transformer"]);
  const { problems } = await buildProject({ cwd: project.folder, cache: false });
  expect(problems).toEqual([]);
  const compiler = fileURLToPath(new URL("../../node_modules/typescript/bin/tsc", import.meta.url));
  expect(await project.node([compiler, "--pretty", "false"])).toEqual({ code: 0, stdout: "", stderr: "" });
  const url = pathToFileURL(join(project.folder, "dist/toolwright.generated.js")).href;
  const { Search } = (await import(url)) as { readonly Search: new () => AgentTool<unknown> };
  const called = await callTool(
    new Search(),
    "search",
    calls.map((call) => JSON.stringify(call)),
  );
  return called.calls.map(({ outcome }) => (outcome.kind === "ok" ? (JSON.parse(String(outcome.output)) as unknown) : outcome));
}

describe("V18: a tool sees the same keys however class fields are compiled", () => {
  it.each([
    ["assigned, as before ES2022", { target: "es2021" }],
    ["defined, as since ES2022", { target: "es2022" }],
    ["assigned under ES2022", { target: "es2022", useDefineForClassFields: false }],
  ])(
    "%s: what was left out is no key, initialisers apply, and what was given wins",
    async (_, options) => {
      expect(await seenWith(options)).toEqual(expected);
    },
    60_000,
  );
});
