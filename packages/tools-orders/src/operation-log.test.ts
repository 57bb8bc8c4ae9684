import type { ToolContext, ToolOutcome } from "@toolwright/core";
import { toolContext } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { openOrderStore, type OrderStore, OrderTools } from "./index.js";

const call = (idempotencyKey: string): ToolContext => toolContext({ idempotencyKey });

function fresh(): { readonly store: OrderStore; readonly tools: OrderTools } & Disposable {
  const store = openOrderStore();
  return { store, tools: new OrderTools(store), [Symbol.dispose]: () => store.close() };
}

const here = { street: "New Street 1", city: "Berlin", postalCode: "10115", country: "DE" };
const there = { street: "Other Street 2", apartment: "3", city: "Bonn", postalCode: "53111", country: "DE" };
const ok: ToolOutcome = { kind: "ok", output: "" };
const unknown: ToolOutcome = { kind: "unknown", error: { code: "TOOL_TIMEOUT", message: "", retryable: false } };

describe("the same key", () => {
  it("acts once and answers the same again", async () => {
    using orders = fresh();
    const first = await orders.tools.cancelOrder("A", "late", call("k"));
    expect(await orders.tools.cancelOrder("A", "late", call("k"))).toEqual(first);
    const moved = await orders.tools.changeAddress("B", here, call("m"));
    await orders.tools.changeAddress("B", there, call("n"));
    expect(await orders.tools.changeAddress("B", here, call("m"))).toEqual(moved);
    expect((await orders.store.order("B"))?.address).toEqual(there);
  });

  it("answers the recorded result even when the order has moved on since", async () => {
    using orders = fresh();
    const moved = await orders.tools.changeAddress("A", here, call("m"));
    await orders.tools.cancelOrder("A", undefined, call("k"));
    expect(await orders.tools.changeAddress("A", here, call("m"))).toEqual(moved);
  });

  it("acts once when calls come at the same time", async () => {
    using orders = fresh();
    const results = await Promise.all(["k", "k", "k"].map((key) => orders.tools.cancelOrder("A", undefined, call(key))));
    expect(new Set(results.map((result) => JSON.stringify(result))).size).toBe(1);
    const [winner, ...losers] = await Promise.allSettled(["x", "y", "z"].map((key) => orders.tools.cancelOrder("B", undefined, call(key))));
    expect(winner?.status).toBe("fulfilled");
    expect(losers).toEqual(
      losers.map(() => ({ status: "rejected", reason: expect.objectContaining({ code: "ORDER_ALREADY_CANCELLED" }) })),
    );
  });

  it("is refused with other arguments or for another tool", async () => {
    using orders = fresh();
    await orders.tools.cancelOrder("A", "late", call("k"));
    const refused = { name: "ToolError", code: "ORDER_KEY_REUSED", retryable: false };
    await expect(orders.tools.cancelOrder("B", "late", call("k"))).rejects.toMatchObject(refused);
    await expect(orders.tools.cancelOrder("A", "other", call("k"))).rejects.toMatchObject(refused);
    await expect(orders.tools.cancelOrder("A", undefined, call("k"))).rejects.toMatchObject(refused);
    await expect(orders.tools.changeAddress("A", here, call("k"))).rejects.toMatchObject(refused);
    await expect(orders.tools.queryCancelOrder("B", "late", call("k"))).rejects.toMatchObject(refused);
    await expect(orders.tools.reopenOrder("B", "late", ok, call("k"))).rejects.toMatchObject(refused);
    expect(await orders.store.order("B")).toMatchObject({ status: "processing" });
    expect(await orders.store.order("A")).toMatchObject({ status: "cancelled", cancelReason: "late" });
  });

  it("knows an address again whatever the order of its fields", async () => {
    using orders = fresh();
    const moved = await orders.tools.changeAddress("A", here, call("m"));
    const { street, city, postalCode, country } = here;
    expect(await orders.tools.changeAddress("A", { country, postalCode, apartment: undefined, city, street }, call("m"))).toEqual(moved);
  });

  it("may act after a refusal, which changed nothing", async () => {
    using orders = fresh();
    await orders.tools.cancelOrder("A", undefined, call("k"));
    await expect(orders.tools.changeAddress("A", here, call("m"))).rejects.toMatchObject({ code: "ORDER_ALREADY_CANCELLED" });
    await orders.tools.reopenOrder("A", undefined, ok, call("k"));
    expect(await orders.tools.changeAddress("A", here, call("m"))).toEqual({ orderId: "A", address: here });
  });

  it("must be there", async () => {
    using orders = fresh();
    await expect(orders.tools.cancelOrder("A", undefined, call(""))).rejects.toMatchObject({ code: "RUN_OPTIONS" });
    expect(await orders.store.order("A")).toMatchObject({ status: "processing" });
  });
});

describe("query", () => {
  it("tells what a key did", async () => {
    using orders = fresh();
    expect(await orders.tools.queryCancelOrder("A", undefined, call("k"))).toEqual({ absent: true });
    const result = await orders.tools.cancelOrder("A", undefined, call("k"));
    expect(await orders.tools.queryCancelOrder("A", undefined, call("k"))).toEqual({ done: true, result });
    expect(await orders.tools.queryCancelOrder("A", undefined, call("another"))).toEqual({ absent: true });
    const moved = await orders.tools.changeAddress("B", here, call("m"));
    expect(await orders.tools.queryChangeAddress("B", here, call("m"))).toEqual({ done: true, result: moved });
  });
});

describe("compensate", () => {
  it("reopens a cancelled order", async () => {
    using orders = fresh();
    const before = await orders.store.order("A");
    await orders.tools.cancelOrder("A", "late", call("k"));
    await orders.tools.reopenOrder("A", "late", ok, call("k"));
    expect(await orders.store.order("A")).toEqual(before);
    expect(await orders.tools.queryCancelOrder("A", "late", call("k"))).toEqual({ absent: true });
  });

  it("restores the former address", async () => {
    using orders = fresh();
    const before = await orders.store.order("A");
    await orders.tools.changeAddress("A", here, call("m"));
    await orders.tools.restoreAddress("A", here, ok, call("m"));
    expect(await orders.store.order("A")).toEqual(before);
  });

  it("undoes once, whatever came later", async () => {
    using orders = fresh();
    await orders.tools.cancelOrder("A", undefined, call("k"));
    await orders.tools.reopenOrder("A", undefined, ok, call("k"));
    await orders.tools.cancelOrder("A", undefined, call("again"));
    await orders.tools.reopenOrder("A", undefined, ok, call("k"));
    expect(await orders.store.order("A")).toMatchObject({ status: "cancelled" });
  });

  it("keeps a late attempt from doing again what was undone", async () => {
    using orders = fresh();
    await orders.tools.cancelOrder("A", undefined, call("k"));
    await orders.tools.reopenOrder("A", undefined, ok, call("k"));
    await expect(orders.tools.cancelOrder("A", undefined, call("k"))).rejects.toMatchObject({
      code: "ORDER_OPERATION_UNDONE",
      retryable: false,
    });
    expect(await orders.store.order("A")).toMatchObject({ status: "processing" });
  });

  it("of what may not have happened keeps it from happening later", async () => {
    using orders = fresh();
    await orders.tools.reopenOrder("A", undefined, unknown, call("k"));
    await expect(orders.tools.cancelOrder("A", undefined, call("k"))).rejects.toMatchObject({ code: "ORDER_OPERATION_UNDONE" });
    expect(await orders.store.order("A")).toMatchObject({ status: "processing" });
    await orders.tools.reopenOrder("A", undefined, unknown, call("k"));
  });

  it("of what is said to be done, but is not on record, is an error", async () => {
    using orders = fresh();
    await expect(orders.tools.reopenOrder("A", undefined, ok, call("k"))).rejects.toMatchObject({ code: "ORDER_OPERATION_MISSING" });
    expect(await orders.tools.cancelOrder("A", undefined, call("k"))).toMatchObject({ status: "cancelled" });
  });

  it("does not undo a later change along with an earlier one, but both in reverse", async () => {
    using orders = fresh();
    const before = await orders.store.order("A");
    await orders.tools.changeAddress("A", here, call("m"));
    await orders.tools.changeAddress("A", there, call("n"));
    await expect(orders.tools.restoreAddress("A", here, ok, call("m"))).rejects.toMatchObject({ code: "ORDER_CHANGED_SINCE" });
    expect((await orders.store.order("A"))?.address).toEqual(there);
    await orders.tools.restoreAddress("A", there, ok, call("n"));
    await orders.tools.restoreAddress("A", here, ok, call("m"));
    expect(await orders.store.order("A")).toEqual(before);
  });

  it("is not fooled by a later change to the same address", async () => {
    using orders = fresh();
    await orders.tools.changeAddress("A", here, call("m"));
    await orders.tools.changeAddress("A", here, call("n"));
    await expect(orders.tools.restoreAddress("A", here, ok, call("m"))).rejects.toMatchObject({ code: "ORDER_CHANGED_SINCE" });
  });

  it("restores an address behind a cancellation that is undone on its own", async () => {
    using orders = fresh();
    const before = await orders.store.order("A");
    await orders.tools.changeAddress("A", here, call("m"));
    await orders.tools.cancelOrder("A", undefined, call("k"));
    await orders.tools.restoreAddress("A", here, ok, call("m"));
    await orders.tools.reopenOrder("A", undefined, ok, call("k"));
    expect(await orders.store.order("A")).toEqual(before);
  });
});
