import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type Packed, installProject, mustRun, packAll, root, scratchFolder, tarballOf } from "../packaging/packed.js";

// Packages are packed and installed here, side by side with other tests.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 300_000 });

/** The oldest releases that cannot be told by crafted keys to validate nothing. */
const floors = { "class-validator": "0.14.0", "class-transformer": "0.5.1" };

let scratch: Awaited<ReturnType<typeof scratchFolder>>;
let packed: ReadonlyMap<string, Packed>;
beforeAll(async () => {
  scratch = await scratchFolder();
  packed = await packAll(scratch.path);
});
afterAll(() => scratch[Symbol.asyncDispose]());

describe("X12: validators that let crafted keys through are not allowed", () => {
  it("by the peer ranges of any package", async () => {
    const asked: string[] = [];
    for (const folder of await readdir(join(root, "packages"))) {
      const { name, peerDependencies = {} } = JSON.parse(await readFile(join(root, "packages", folder, "package.json"), "utf8")) as {
        name: string;
        peerDependencies?: Record<string, string>;
      };
      for (const [peer, floor] of Object.entries(floors)) {
        const range = peerDependencies[peer];
        if (range === undefined) continue;
        asked.push(name);
        // The lower end of each range is the floor itself.
        expect([name, peer, /^(?:>=|\^|~)?(\d+\.\d+\.\d+)/.exec(range)?.[1]]).toEqual([name, peer, floor]);
      }
    }
    expect(new Set(asked)).toEqual(new Set(["@toolwright/core", "@toolwright/tools-orders"]));
  });

  it("at the floor itself, crafted keys reach no tool, and bad values are refused", async () => {
    const folder = await installProject(scratch.path, "floor", [
      tarballOf(packed, "@toolwright/core"),
      ...Object.entries(floors).map(([name, version]) => `${name}@${version}`),
    ]);
    for (const [name, version] of Object.entries(floors)) {
      const installed = JSON.parse(await readFile(join(folder, "node_modules", name, "package.json"), "utf8")) as { version: string };
      expect(installed.version).toBe(version);
    }
    await writeFile(join(folder, "main.mjs"), program);
    const lines = (await mustRun(process.execPath, ["--no-warnings", "main.mjs"], folder)).trim().split("\n");
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      ["ok", '{"sku":"A","count":2}'],
      // Checked by class-validator alone: no schema tells this rule.
      ["invalid", ["count"]],
      ["invalid", ["__proto__"]],
      ["invalid", ["constructor"]],
      ["invalid", ["hasOwnProperty"]],
    ]);
  });
});

const program = `
import "reflect-metadata";
import { Agent, Tool } from "@toolwright/core";
import { registerToolkit } from "@toolwright/core/generated";
import { IsInt, IsString, registerDecorator } from "class-validator";
class Order { sku; count; }
IsString()(Order.prototype, "sku");
IsInt()(Order.prototype, "count");
registerDecorator({ name: "isEven", target: Order, propertyName: "count", validator: { validate: (value) => value % 2 === 0, defaultMessage: () => "count must be even" } });
class Tools { place(order) { return order instanceof Order ? { ...order } : "no instance"; } }
Tool({ effect: "read" })(Tools.prototype, "place");
const parameters = { type: "object", properties: { sku: { type: "string" }, count: { type: "integer" } }, required: ["sku", "count"], additionalProperties: false };
const Registered = registerToolkit(Tools, { format: 1, className: "Tools", tools: [{ name: "place", method: "place", description: "Places.", effect: "read", parameters, decode: { dto: "Order" }, call: [{ arguments: true }] }] }, { methods: ["place"], classes: { Order } });
const texts = ['{"sku":"A","count":2}', '{"sku":"A","count":3}', '{"sku":5,"count":3,"__proto__":{"sku":"A"}}', '{"sku":"A","count":2,"constructor":{"name":"Object"}}', '{"sku":"A","count":2,"hasOwnProperty":1}'];
let asked = 0;
const usage = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, reasoningTokens: 0, totalTokens: 0 };
const calls = texts.map((text, index) => ({ type: "function_call", id: "fc_" + index, call_id: "call_" + index, name: "place", arguments: text, status: "completed" }));
const message = { type: "message", role: "assistant", id: "msg_1", status: "completed", content: [{ type: "output_text", text: "Done.", annotations: [] }] };
const model = { name: "stand-in", respond: async () => ({ id: undefined, usage, output: asked++ === 0 ? calls : [message] }) };
const result = await new Agent({ model, tools: [new Registered()] }).run("Go.");
for (const { outcome } of result.steps[0].calls) console.log(JSON.stringify([outcome.kind, outcome.output ?? outcome.error.issues.map(({ path }) => path).filter((path) => path !== "sku")]));
`;
