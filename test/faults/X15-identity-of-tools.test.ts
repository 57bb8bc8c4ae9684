import { Agent, defineMiddleware, prefixed, ToolRegistry } from "@toolwright/core";
import { reply } from "@toolwright/testing";
import { beforeAll, describe, expect, it } from "vitest";
import { scratchApp, type ScratchApp } from "../support/scratch-app.js";
import { serve, type Stand } from "../support/serve.js";
import { type BuiltPackage, buildToolPackage } from "../support/tool-package.js";

/** A package with a tool `read_file` that tells whose it is. */
function filePackage(name: string, options = '{ effect: "read" }'): Promise<BuiltPackage> {
  return buildToolPackage(name, {
    "tools.ts": `import { Param, Tool } from "@toolwright/core";
      export class FileTools {
        /** Reads a text file. Use it when the content of a file is asked for. */
        @Tool(${options})
        readFile(@Param("Path of the file, e.g. notes.txt") path: string): string { return "${name} read " + path; }
      }`,
    "index.ts": `import { defineToolPackage } from "@toolwright/core";
      import { FileTools } from "./toolwright.generated.js";
      export default defineToolPackage({ create: () => [new FileTools()] });`,
  });
}

let trusted: BuiltPackage;
let third: BuiltPackage;
beforeAll(async () => {
  [trusted, third] = await Promise.all([filePackage("@trusted/tools-file"), filePackage("@third/tools-file")]);
});

function app(): ScratchApp {
  return scratchApp([trusted.name, third.name], {
    ...trusted.at(`node_modules/${trusted.name}`),
    ...third.at(`node_modules/${third.name}`),
  });
}

const call = (callId: string, name: string) => ({ callId, name, arguments: { path: "notes.txt" } });

describe("X15: a rule about a tool holds for that tool, whatever it and others are called", () => {
  it("a second package cannot take a tool's name", async () => {
    using scratch = app();
    await expect(ToolRegistry.discover({ from: scratch.url(), allow: { [trusted.name]: {}, [third.name]: {} } })).rejects.toMatchObject({
      code: "TOOL_NAME_CLASH",
      details: { owners: ["@trusted/tools-file#FileTools.readFile", "@third/tools-file#FileTools.readFile"].sort() },
    });
  });

  it.each([
    [
      "the other one has the prefix",
      { [`@trusted/tools-file`]: {}, [`@third/tools-file`]: { prefix: "third" } },
      "read_file",
      "third_read_file",
    ],
    [
      "the two have changed names",
      { [`@trusted/tools-file`]: { prefix: "third" }, [`@third/tools-file`]: {} },
      "third_read_file",
      "read_file",
    ],
  ])("a rule by identity follows the tool: %s", async (_, allow, ofTrusted, ofThird) => {
    using scratch = app();
    const registry = await ToolRegistry.discover({ from: scratch.url(), allow });
    const seen: (readonly [string, string | undefined])[] = [];
    const onlyTrusted = defineMiddleware({
      name: "only-trusted",
      wrapToolCall: async (toolCall, next) => {
        seen.push([toolCall.name, toolCall.tool?.identity]);
        return toolCall.tool?.identity === "@trusted/tools-file#FileTools.readFile"
          ? next(toolCall)
          : { kind: "denied", reason: "not trusted" };
      },
    });
    await using stand = await serve([reply.calls(call("call_1", ofTrusted), call("call_2", ofThird)), reply.text("Done.")]);
    const result = await new Agent({ model: "test", client: stand.client, tools: [registry], middleware: [onlyTrusted] }).run("Read.");
    expect(result.steps[0]?.calls.map(({ outcome }) => outcome)).toEqual([
      { kind: "ok", output: "@trusted/tools-file read notes.txt" },
      { kind: "denied", reason: "not trusted" },
    ]);
    expect(seen).toEqual([
      [ofTrusted, "@trusted/tools-file#FileTools.readFile"],
      [ofThird, "@third/tools-file#FileTools.readFile"],
    ]);
  });

  it("a prefix around an object keeps the identity as well", async () => {
    using scratch = app();
    const registry = await ToolRegistry.discover({ from: scratch.url(), allow: { [trusted.name]: {} } });
    const { tools } = prefixed("x", registry)["~toolwright.tools"];
    const identities = tools().map(({ info }) => [info.name, info.identity]);
    expect(identities).toEqual([["x_read_file", "@trusted/tools-file#FileTools.readFile"]]);
  });

  it("a paused call is not resumed on another package's tool of its name", async () => {
    const guarded = await Promise.all([trusted.name, third.name].map((name) => filePackage(name, '{ effect: "read", approval: true }')));
    using scratch = app();
    for (const built of guarded) scratch.write(built.at(`node_modules/${built.name}`));
    const agentWith = async (name: string, client: Stand["client"]) =>
      new Agent({ model: "test", client, tools: [await ToolRegistry.discover({ from: scratch.url(), allow: { [name]: {} } })] });
    await using stand = await serve([reply.calls(call("call_1", "read_file")), reply.text("Done.")]);
    const paused = await (await agentWith(trusted.name, stand.client)).run("Read.");
    if (paused.stopReason !== "interrupted") throw new Error(paused.stopReason);

    const decisions = [{ callId: "call_1", approve: true }] as const;
    await expect((await agentWith(third.name, stand.client)).resume(paused.state, { decisions })).rejects.toMatchObject({
      code: "RUN_STATE",
      message: expect.stringContaining("@trusted/tools-file#FileTools.readFile, which this agent does not have"),
    });
    const resumed = await (await agentWith(trusted.name, stand.client)).resume(paused.state, { decisions });
    expect(resumed.steps[0]?.calls[0]?.outcome).toEqual({ kind: "ok", output: "@trusted/tools-file read notes.txt" });
  });
});
