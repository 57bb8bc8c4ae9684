import { Agent, type Allowances, ToolRegistry } from "@toolwright/core";
import { checkStrictSchema, reply } from "@toolwright/testing";
import { beforeAll, describe, expect, it } from "vitest";
import { scratchApp, type Files, type ScratchApp } from "../support/scratch-app.js";
import { serve } from "../support/serve.js";
import { type BuiltPackage, wordPackage } from "../support/tool-package.js";

let packages: readonly BuiltPackage[];
beforeAll(async () => {
  packages = await Promise.all([wordPackage("tools-a", "stock"), wordPackage("tools-b", "price"), wordPackage("tools-c", "weight")]);
});

const allow: Allowances = { "tools-a": {}, "tools-b": {}, "tools-c": {} };

/** An app with three packages, the middle one with some files replaced. */
function app(broken: Files): ScratchApp {
  const scratch = scratchApp(["tools-a", "tools-b", "tools-c"]);
  for (const built of packages) scratch.write(built.at(`node_modules/${built.name}`, built.name === "tools-b" ? broken : {}));
  return scratch;
}

const manifestWith = (change: (text: string) => string): Files => ({
  "toolwright.manifest.json": change(JSON.stringify(packages[1]?.manifest)),
});

/** What a run sends and does whose model calls one tool of each package. */
async function run(registry: ToolRegistry) {
  await using stand = await serve([
    reply.calls(
      { callId: "call_1", name: "get_stock", arguments: { id: "1" } },
      { callId: "call_2", name: "get_price", arguments: { id: "2" } },
      { callId: "call_3", name: "get_weight", arguments: { id: "3" } },
    ),
    reply.text("Done."),
  ]);
  const result = await new Agent({ model: "test", client: stand.client, tools: [registry] }).run("Go.");
  const sent = stand.server.request(0).body.tools as readonly { readonly name: string; readonly parameters: unknown }[];
  return {
    outcomes: result.steps[0]?.calls.map(({ outcome }) =>
      outcome.kind === "ok" ? outcome.output : "error" in outcome && outcome.error.code,
    ),
    sent,
  };
}

describe("P12: a package whose code is broken", () => {
  const throwing = { "dist/index.js": "throw new TypeError('broken');" };

  it("fails its own calls, and no others", async () => {
    using scratch = app(throwing);
    const registry = await ToolRegistry.discover({ from: scratch.url(), allow });
    const { outcomes, sent } = await run(registry);
    expect(outcomes).toEqual(["stock of 1", "TOOL_FAILED", "weight of 3"]);
    expect(sent.map(({ name }) => name)).toEqual(["get_stock", "get_price", "get_weight"]);
  });

  it("fails at start, by name, when the app asks for that", async () => {
    using scratch = app(throwing);
    const registry = await ToolRegistry.discover({ from: scratch.url(), allow });
    await expect(registry.preload()).rejects.toMatchObject({
      code: "REGISTRY_LOAD",
      message: expect.stringContaining("The package tools-b could not be imported: TypeError."),
    });
  });
});

describe("P12: a package whose manifest is broken never gets to a request", () => {
  const cases: readonly (readonly [string, () => Files, RegExp])[] = [
    ["is no JSON", () => manifestWith((text) => text.slice(1)), /The manifest of tools-b cannot be read/],
    [
      "has a schema with oneOf",
      () => manifestWith((text) => text.replace('{"type":"string",', '{"oneOf":[{"type":"string"}],')),
      /the tool get_price: at "id", the keyword "oneOf"/,
    ],
    [
      "has an open schema",
      () => manifestWith((text) => text.replace('"additionalProperties":false', '"additionalProperties":true')),
      /\(get_price\) has no strict schema/,
    ],
    [
      "has a property that is not required",
      () => manifestWith((text) => text.replace('"required":["id"]', '"required":[]')),
      /the property "id" is not in "required"/,
    ],
    [
      "has a bad name",
      () => manifestWith((text) => text.replace('"name":"get_price"', '"name":"get price"')),
      /has no name that the API takes/,
    ],
    ["is of a later form", () => manifestWith((text) => text.replace('"format":1,', '"format":9,')), /its format is 9/],
  ];

  it.each(cases)("it %s: discovery fails and names it, unless it is to be skipped and reported", async (_, files, problem) => {
    using scratch = app(files());
    const from = scratch.url();
    await expect(ToolRegistry.discover({ from, allow })).rejects.toMatchObject({
      code: "REGISTRY_MANIFEST",
      message: expect.stringMatching(problem),
      details: { package: "tools-b" },
    });
    const registry = await ToolRegistry.discover({ from, allow, onBroken: "skip" });
    expect(registry.list().map(({ package: name, state, problem: found }) => [name, state, found])).toEqual([
      ["tools-a", "offered", undefined],
      ["tools-b", "broken", expect.stringMatching(problem)],
      ["tools-c", "offered", undefined],
    ]);
    const { outcomes, sent } = await run(registry);
    expect(outcomes).toEqual(["stock of 1", "TOOL_UNKNOWN", "weight of 3"]);
    expect(sent.map(({ name }) => name)).toEqual(["get_stock", "get_weight"]);
    expect(sent.flatMap(({ parameters }) => checkStrictSchema(parameters))).toEqual([]);
  });
});
