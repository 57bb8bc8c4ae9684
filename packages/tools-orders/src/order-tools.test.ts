import type { ToolContext } from "@toolwright/core";
import { toolContext } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { openOrderStore, type OrderStore, OrderTools } from "./index.js";

let keys = 0;
/** A call of its own. */
const call = (idempotencyKey = `call-${(keys += 1)}`): ToolContext => toolContext({ idempotencyKey });

function fresh(): { readonly store: OrderStore; readonly tools: OrderTools } & Disposable {
  const store = openOrderStore();
  return { store, tools: new OrderTools(store), [Symbol.dispose]: () => store.close() };
}

const here = { street: "New Street 1", city: "Berlin", postalCode: "10115", country: "DE" };

describe("getDelivery", () => {
  it("tells the days of an order", async () => {
    using orders = fresh();
    expect(await orders.tools.getDelivery("A", call())).toEqual({ orderId: "A", days: 2 });
    expect(await orders.tools.getDelivery("B", call())).toEqual({ orderId: "B", days: 5 });
  });

  it.each([
    ["Z", "ORDER_NOT_FOUND"],
    ["a", "ORDER_NOT_FOUND"],
    ["", "ORDER_NOT_FOUND"],
    ["' OR 1=1 --", "ORDER_NOT_FOUND"],
    ["D", "ORDER_ALREADY_DELIVERED"],
    ["E", "ORDER_ALREADY_CANCELLED"],
  ])("answers %j by %s, not to be tried again", async (orderId, code) => {
    using orders = fresh();
    await expect(orders.tools.getDelivery(orderId, call())).rejects.toMatchObject({ name: "ToolError", code, retryable: false });
  });

  it("does not repeat a long id in its message", async () => {
    using orders = fresh();
    const error = await orders.tools.getDelivery("x".repeat(10_000), call()).catch((caught: unknown) => caught);
    expect((error as Error).message.length).toBeLessThan(200);
  });
});

describe("getStock", () => {
  it.each([
    ["BOOK-1", true, 12],
    ["BOOK-2", true, 0],
    ["BOOK-99", false, null],
    ["book-1", false, null],
  ])("of %s: found %j, count %j", async (sku, found, count) => {
    using orders = fresh();
    expect(await orders.tools.getStock(sku, call())).toEqual({ sku, found, count });
  });
});

describe("searchOrders", () => {
  const idsOf = async (search: Partial<Parameters<OrderTools["searchOrders"]>[0]>): Promise<string[]> => {
    using orders = fresh();
    return (await orders.tools.searchOrders({ limit: 10, ...search }, call())).map(({ orderId }) => orderId);
  };

  it("lists the newest first, without addresses", async () => {
    using orders = fresh();
    const [first, ...rest] = await orders.tools.searchOrders({ limit: 10 }, call());
    expect(first).toEqual({ orderId: "F", customer: "Éva Kovács", status: "processing", placedAt: "2026-01-12T14:00:00.000Z" });
    expect(rest.map(({ orderId }) => orderId)).toEqual(["A", "B", "C", "D", "E"]);
  });

  it("finds a part of a name in any case, beyond ASCII too", async () => {
    expect(await idsOf({ customer: "winter" })).toEqual(["A", "C"]);
    expect(await idsOf({ customer: " ÉVA " })).toEqual(["F"]);
    expect(await idsOf({ customer: "nobody" })).toEqual([]);
  });

  it("takes filters as they are, not as SQL or patterns", async () => {
    expect(await idsOf({ customer: "%" })).toEqual([]);
    expect(await idsOf({ customer: "' OR '1'='1" })).toEqual([]);
  });

  it("narrows by state and to the limit", async () => {
    expect(await idsOf({ status: "processing" })).toEqual(["F", "A", "B"]);
    expect(await idsOf({ customer: "Ada", status: "shipped" })).toEqual(["C"]);
    expect(await idsOf({ limit: 1 })).toEqual(["F"]);
  });
});

describe("cancelOrder", () => {
  it("cancels, with and without a reason", async () => {
    using orders = fresh();
    expect(await orders.tools.cancelOrder("A", " changed my mind ", call())).toEqual({
      orderId: "A",
      status: "cancelled",
      reason: "changed my mind",
    });
    expect(await orders.tools.cancelOrder("B", undefined, call())).toEqual({ orderId: "B", status: "cancelled", reason: null });
    expect(await orders.store.order("A")).toMatchObject({ status: "cancelled", cancelReason: "changed my mind" });
    await expect(orders.tools.getDelivery("A", call())).rejects.toMatchObject({ code: "ORDER_ALREADY_CANCELLED" });
  });

  it.each([
    ["C", "ORDER_ALREADY_SHIPPED"],
    ["D", "ORDER_ALREADY_DELIVERED"],
    ["E", "ORDER_ALREADY_CANCELLED"],
    ["Z", "ORDER_NOT_FOUND"],
  ])("of %s is refused by %s, and nothing is recorded", async (orderId, code) => {
    using orders = fresh();
    const before = await orders.store.order(orderId);
    await expect(orders.tools.cancelOrder(orderId, undefined, call("k"))).rejects.toMatchObject({
      name: "ToolError",
      code,
      retryable: false,
    });
    expect(await orders.store.order(orderId)).toEqual(before);
    expect(await orders.tools.queryCancelOrder(orderId, undefined, call("k"))).toEqual({ absent: true });
  });

  it("refuses a reason that is no reason any more", async () => {
    using orders = fresh();
    await expect(orders.tools.cancelOrder("A", "x".repeat(501), call())).rejects.toMatchObject({ code: "ORDER_REASON" });
  });
});

describe("changeAddress", () => {
  it("changes the whole address", async () => {
    using orders = fresh();
    expect(await orders.tools.changeAddress("A", here, call())).toEqual({ orderId: "A", address: here });
    expect((await orders.store.order("A"))?.address).toEqual(here);
    const there = { ...here, apartment: "3" };
    expect(await orders.tools.changeAddress("A", there, call())).toEqual({ orderId: "A", address: there });
    expect((await orders.store.order("A"))?.address).toEqual(there);
  });

  it.each([
    ["C", "ORDER_ALREADY_SHIPPED"],
    ["D", "ORDER_ALREADY_DELIVERED"],
    ["E", "ORDER_ALREADY_CANCELLED"],
    ["Z", "ORDER_NOT_FOUND"],
  ])("of %s is refused by %s", async (orderId, code) => {
    using orders = fresh();
    await expect(orders.tools.changeAddress(orderId, here, call())).rejects.toMatchObject({ name: "ToolError", code, retryable: false });
  });
});

describe("OrderTools", () => {
  it("closes its store when it is disposed", async () => {
    const store = openOrderStore();
    {
      using tools = new OrderTools(store);
      await tools.getStock("BOOK-1", call());
    }
    await expect(store.stock("BOOK-1")).rejects.toMatchObject({ code: "ORDERS_STORE_CLOSED" });
  });
});
