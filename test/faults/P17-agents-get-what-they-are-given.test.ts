import { Agent, ToolRegistry, type ToolContext } from "@toolwright/core";
import { reply } from "@toolwright/testing";
import { beforeAll, describe, expect, it } from "vitest";
import { scratchApp, type ScratchApp } from "../support/scratch-app.js";
import { serve } from "../support/serve.js";
import { type BuiltPackage, buildToolPackage, importedPackages, wordPackage } from "../support/tool-package.js";

let stock: BuiltPackage;
let price: BuiltPackage;
beforeAll(async () => {
  [stock, price] = await Promise.all([wordPackage("tools-a", "stock"), wordPackage("tools-b", "price")]);
});

function app(): ScratchApp {
  return scratchApp(["tools-a", "tools-b"], { ...stock.at("node_modules/tools-a"), ...price.at("node_modules/tools-b") });
}

/** Names of the tools that an agent with this registry sends, and what a call of one of them comes to. */
async function ask(registry: ToolRegistry, name: string) {
  await using stand = await serve([reply.calls({ callId: "call_1", name, arguments: { id: "1" } }), reply.text("Done.")]);
  const result = await new Agent({ model: "test", client: stand.client, tools: [registry] }).run("Go.");
  const sent = stand.server.requests.map(({ body }) => (body.tools as readonly { readonly name: string }[]).map((tool) => tool.name));
  const [outcome] = result.steps[0]?.calls.map((call) => call.outcome) ?? [];
  return { sent, outcome: outcome?.kind === "ok" ? outcome.output : outcome?.kind };
}

describe("P17: what one agent was given, no other one has", () => {
  it.each([
    ["before", false],
    ["after", true],
  ])("%s the packages were imported", async (_, preloaded) => {
    using scratch = app();
    const from = scratch.url();
    const x = await ToolRegistry.discover({ from, allow: { "tools-a": {} } });
    const y = await ToolRegistry.discover({ from, allow: { "tools-b": {} } });
    if (preloaded) await Promise.all([y.preload(), x.preload()]);
    for (let round = 0; round < 2; round += 1) {
      expect(await ask(x, "get_stock")).toEqual({ sent: [["get_stock"], ["get_stock"]], outcome: "stock of 1" });
      expect(await ask(y, "get_price")).toEqual({ sent: [["get_price"], ["get_price"]], outcome: "price of 1" });
      expect(await ask(x, "get_price")).toEqual({ sent: [["get_stock"], ["get_stock"]], outcome: "invalid" });
    }
    expect(importedPackages()).toEqual(expect.arrayContaining(["tools-a", "tools-b"]));
    // One that is made when all of it is in the process starts with what it allows, too.
    expect((await ToolRegistry.discover({ from, allow: { "tools-b": {} } })).list().map(({ state }) => state)).toEqual([
      "installed",
      "offered",
    ]);
  });

  it("one registry in two agents is one set of toolkits; two registries are two, each with its own configuration and end", async () => {
    const built = await buildToolPackage("tools-shop", {
      "tools.ts": `import { Tool } from "@toolwright/core";
        export class ShopTools implements Disposable {
          #sold = 0;
          #open = true;
          readonly #place: string;
          constructor(place: string) { this.#place = place; }
          /** Sells a thing. Use it when someone buys. */
          @Tool({ effect: "write" })
          sell(): string { return this.#open ? this.#place + " " + ++this.#sold : "closed"; }
          [Symbol.dispose](): void { this.#open = false; }
        }`,
      "index.ts": `import { defineToolPackage } from "@toolwright/core";
        import { ShopTools } from "./toolwright.generated.js";
        class ShopConfig { place = "here"; }
        export default defineToolPackage({ config: ShopConfig, create: ({ place }) => [new ShopTools(place)] });`,
    });
    using scratch = scratchApp(["tools-shop"], built.at("node_modules/tools-shop"));
    const discover = (place: string) => ToolRegistry.discover({ from: scratch.url(), allow: { "tools-shop": { config: { place } } } });
    const [rome, oslo] = [await discover("Rome"), await discover("Oslo")];
    const sell = async (registry: ToolRegistry): Promise<unknown> => (await ask(registry, "sell")).outcome;

    // The tool has no parameters: an id is one argument too many.
    expect(await sell(rome)).toBe("invalid");
    const direct = async (registry: ToolRegistry): Promise<unknown> => {
      const prepared = await registry["~toolwright.tools"].tools()[0]?.prepare({});
      return prepared?.ok === true ? prepared.invoke({} as ToolContext) : prepared;
    };
    expect([await direct(rome), await direct(rome), await direct(oslo)]).toEqual(["Rome 1", "Rome 2", "Oslo 1"]);
    await rome[Symbol.asyncDispose]();
    expect(await direct(oslo)).toBe("Oslo 2");
    await expect(direct(rome)).rejects.toThrow("The registry was disposed, so tools-shop cannot be used any more.");
  });
});
