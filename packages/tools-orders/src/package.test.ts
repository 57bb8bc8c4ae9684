import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent, defineMiddleware, isFunctionCallOutput, type RunResult, ToolRegistry } from "@toolwright/core";
import { standard } from "@toolwright/core/middleware";
import { reply, startResponsesServer } from "@toolwright/testing";
import OpenAI from "openai";
import { afterAll, describe, expect, it } from "vitest";
import { openOrderStore, OrderTools } from "./index.js";

const directory = mkdtempSync(join(tmpdir(), "orders-package-"));
afterAll(() => rmSync(directory, { recursive: true }));

const manifest: unknown = JSON.parse(readFileSync(new URL("../toolwright.manifest.json", import.meta.url), "utf8"));

interface Call {
  readonly name: string;
  readonly arguments: object;
}

/** Runs an agent whose model makes these calls in one reply. */
async function runCalls(calls: readonly Call[], options: Pick<ConstructorParameters<typeof Agent>[0], "tools" | "middleware">) {
  await using server = await startResponsesServer([
    reply.calls(...calls.map((call, index) => ({ callId: `call_${index}`, ...call }))),
    reply.text("Done."),
  ]);
  const agent = new Agent({ model: "test", client: new OpenAI({ baseURL: server.url, apiKey: "test" }), ...options });
  const result = await agent.run("Go on.");
  server.assertDone();
  return result;
}

const outputs = (result: RunResult): unknown[] =>
  result.items.filter(isFunctionCallOutput).map(({ output }) => JSON.parse(output as string) as unknown);
const kinds = (result: RunResult): string[] => result.steps.flatMap(({ calls }) => calls.map(({ outcome }) => outcome.kind));

describe("in an agent", () => {
  it("answers calls side by side, each its own", async () => {
    using tools = new OrderTools(openOrderStore());
    const result = await runCalls(
      [
        { name: "get_delivery", arguments: { orderId: "A" } },
        { name: "get_delivery", arguments: { orderId: "Z" } },
        { name: "get_delivery", arguments: { orderId: "B" } },
        { name: "get_stock", arguments: { sku: "BOOK-2" } },
      ],
      { tools: [tools] },
    );
    expect(outputs(result)).toEqual([
      { orderId: "A", days: 2 },
      { error: expect.objectContaining({ code: "ORDER_NOT_FOUND", retryable: false }) },
      { orderId: "B", days: 5 },
      { sku: "BOOK-2", found: true, count: 0 },
    ]);
  });

  it("searches with the defaults for what the model leaves out, and holds it to the limit", async () => {
    const store = openOrderStore();
    using tools = new OrderTools(store);
    const address = { street: "S 1", city: "C", postalCode: "1", country: "DE" };
    for (let index = 0; index < 20; index += 1) {
      await store.addOrder({
        orderId: `X${index}`,
        customer: "Many",
        status: "shipped",
        placedAt: "2026-02-01T00:00:00.000Z",
        deliveryDays: 1,
        address,
      });
    }
    const result = await runCalls(
      [
        { name: "search_orders", arguments: { customer: "many", status: null, limit: null } },
        { name: "search_orders", arguments: { customer: null, status: null, limit: 50 } },
        { name: "search_orders", arguments: { customer: null, status: null, limit: 51 } },
        { name: "search_orders", arguments: { customer: null, status: null, limit: 0 } },
        { name: "search_orders", arguments: { customer: "  ", status: null, limit: 1 } },
        { name: "search_orders", arguments: { customer: null, status: "lost", limit: 1 } },
      ],
      { tools: [tools] },
    );
    expect(kinds(result)).toEqual(["ok", "ok", "invalid", "invalid", "invalid", "invalid"]);
    const [few, all] = outputs(result) as [unknown[], unknown[]];
    expect([few.length, all.length]).toEqual([10, 26]);
  });

  it("checks an address by the rules of its class", async () => {
    const store = openOrderStore();
    using tools = new OrderTools(store);
    const address = { street: "New Street 1", apartment: null, city: "Berlin", postalCode: "10115", country: "DE" };
    const result = await runCalls(
      [
        { name: "change_address", arguments: { orderId: "A", address } },
        { name: "change_address", arguments: { orderId: "B", address: { ...address, country: "Germany" } } },
        { name: "change_address", arguments: { orderId: "B", address: { ...address, country: "XX" } } },
        { name: "change_address", arguments: { orderId: "B", address: { ...address, city: "x".repeat(101) } } },
      ],
      { tools: [tools] },
    );
    expect(kinds(result)).toEqual(["ok", "invalid", "invalid", "invalid"]);
    const { apartment: _, ...plain } = address;
    const issueAt = (path: string) => ({ error: expect.objectContaining({ issues: [expect.objectContaining({ path })] }) });
    expect(outputs(result)).toEqual([
      { orderId: "A", address: plain },
      issueAt("address.country"),
      issueAt("address.country"),
      issueAt("address.city"),
    ]);
    expect((await store.order("B"))?.address).toMatchObject({ city: "Zakynthos" });
  });

  it("works on one order in the model's order", async () => {
    using tools = new OrderTools(openOrderStore());
    const result = await runCalls(
      [
        { name: "get_delivery", arguments: { orderId: "A" } },
        { name: "cancel_order", arguments: { orderId: "A", reason: "late" } },
        { name: "get_delivery", arguments: { orderId: "A" } },
        { name: "cancel_order", arguments: { orderId: "A", reason: null } },
      ],
      { tools: [tools] },
    );
    expect(outputs(result)).toEqual([
      { orderId: "A", days: 2 },
      { orderId: "A", status: "cancelled", reason: "late" },
      { error: expect.objectContaining({ code: "ORDER_ALREADY_CANCELLED" }) },
      { error: expect.objectContaining({ code: "ORDER_ALREADY_CANCELLED" }) },
    ]);
  });

  it("gives one result to a call that is made twice", async () => {
    using tools = new OrderTools(openOrderStore());
    const twice = defineMiddleware({
      name: "twice",
      repeats: true,
      async wrapToolCall(call, next) {
        await next(call);
        return next(call);
      },
    });
    const result = await runCalls([{ name: "cancel_order", arguments: { orderId: "A", reason: null } }], {
      tools: [tools],
      middleware: [twice, ...standard()],
    });
    expect(outputs(result)).toEqual([{ orderId: "A", status: "cancelled", reason: null }]);
    expect(result.steps[0]?.calls[0]?.attempts).toBe(2);
  });
});

describe("in a registry", () => {
  const name = "@toolwright/tools-orders";

  it("offers its tools by the manifest, makes them from the app's configuration, and closes them", async () => {
    const path = join(directory, "orders.db");
    {
      await using registry = ToolRegistry.from([{ manifest, load: () => import("./index.js") }], {
        allow: { [name]: { config: { path, sampleData: true } } },
      });
      const result = await runCalls([{ name: "cancel_order", arguments: { orderId: "A", reason: null } }], { tools: [registry] });
      expect(outputs(result)).toEqual([{ orderId: "A", status: "cancelled", reason: null }]);
    }
    using store = openOrderStore({ path });
    expect(await store.order("A")).toMatchObject({ status: "cancelled" });
  });

  it("works without configuration, on samples in memory", async () => {
    await using registry = ToolRegistry.from([{ manifest, load: () => import("./index.js") }]);
    expect(outputs(await runCalls([{ name: "get_delivery", arguments: { orderId: "B" } }], { tools: [registry] }))).toEqual([
      { orderId: "B", days: 5 },
    ]);
  });

  it.each([{ path: 7 }, { path: "" }, { sampleData: "yes" }, { file: "orders.db" }])("refuses the configuration %j", (config) => {
    const registry = (): ToolRegistry =>
      ToolRegistry.from([{ manifest, load: () => import("./index.js") }], { allow: { [name]: { config } } });
    expect(registry).toThrow(expect.objectContaining({ code: "REGISTRY_CONFIG" }));
  });
});
