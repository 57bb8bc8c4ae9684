import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import type { ToolContext, ToolOutcome } from "@toolwright/core";
import { toolContext } from "@toolwright/testing";
import { afterAll, describe, expect, it } from "vitest";
import { openOrderStore, type OrderStore, OrderTools } from "./index.js";

const directory = mkdtempSync(join(tmpdir(), "orders-shared-"));
afterAll(() => rmSync(directory, { recursive: true }));

let files = 0;
const newPath = (): string => join(directory, `orders-${(files += 1)}.db`);
const call = (idempotencyKey: string, signal?: AbortSignal): ToolContext => toolContext({ idempotencyKey, signal });

/** Runs a file of fixtures/, on the built package, in a process of its own. */
const start = (fixture: string, ...parameters: string[]) =>
  spawn(process.execPath, [fileURLToPath(new URL(`../fixtures/${fixture}`, import.meta.url)), ...parameters], {
    stdio: ["ignore", "pipe", "pipe"],
  });

describe("a file", () => {
  it("keeps orders and operations over a restart", async () => {
    const path = newPath();
    let result: unknown;
    {
      using store = openOrderStore({ path, sampleData: true });
      result = await new OrderTools(store).cancelOrder("A", "late", call("k"));
    }
    using store = openOrderStore({ path });
    const tools = new OrderTools(store);
    expect(await tools.queryCancelOrder("A", "late", call("k"))).toEqual({ done: true, result });
    expect(await tools.cancelOrder("A", "late", call("k"))).toEqual(result);
    await tools.reopenOrder("A", "late", { kind: "ok", output: "" }, call("k"));
    expect(await tools.getDelivery("A", call("d"))).toEqual({ orderId: "A", days: 2 });
  });

  it("is one for two connections: a key acts once, whichever it comes by", async () => {
    const path = newPath();
    using one = openOrderStore({ path, sampleData: true });
    using other = openOrderStore({ path });
    const [first, second] = [new OrderTools(one), new OrderTools(other)];
    const results = await Promise.all([first.cancelOrder("A", undefined, call("k")), second.cancelOrder("A", undefined, call("k"))]);
    expect(results[1]).toEqual(results[0]);
    await expect(second.cancelOrder("A", undefined, call("x"))).rejects.toMatchObject({ code: "ORDER_ALREADY_CANCELLED" });
    await expect(first.getDelivery("A", call("d"))).rejects.toMatchObject({ code: "ORDER_ALREADY_CANCELLED" });
  });

  it("is made once when processes open it at the same moment", async () => {
    const path = newPath();
    const counts = await Promise.all([1, 2, 3].map(() => finished(start("open-once.mjs", path))));
    expect(counts).toEqual(["6\n", "6\n", "6\n"]);
  });
});

async function finished(child: ReturnType<typeof start>): Promise<string> {
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return stdout + stderr;
}

describe("what another program changed meanwhile", () => {
  const address = { street: "New Street 1", city: "Berlin", postalCode: "10115", country: "DE" };
  const ok: ToolOutcome = { kind: "ok", output: "" };

  it.each([
    ["status = 'processing'", "ORDER_CHANGED_SINCE"],
    ["status = 'shipped'", "ORDER_CHANGED_SINCE"],
  ])("is not overwritten by reopening an order (%s)", async (change, code) => {
    const path = newPath();
    using store = openOrderStore({ path, sampleData: true });
    const tools = new OrderTools(store);
    await tools.cancelOrder("A", undefined, call("k"));
    const order = await changed(path, change, store);
    await expect(tools.reopenOrder("A", undefined, ok, call("k"))).rejects.toMatchObject({ code });
    expect(await store.order("A")).toEqual(order);
    // A refused undo is no undo.
    expect(await tools.queryCancelOrder("A", undefined, call("k"))).toMatchObject({ done: true });
  });

  it.each([
    ["street = 'Elsewhere 1'", "ORDER_CHANGED_SINCE"],
    ["apartment = '3'", "ORDER_CHANGED_SINCE"],
    ["status = 'shipped'", "ORDER_ALREADY_SHIPPED"],
    ["status = 'delivered'", "ORDER_ALREADY_DELIVERED"],
  ])("is not overwritten by restoring an address (%s)", async (change, code) => {
    const path = newPath();
    using store = openOrderStore({ path, sampleData: true });
    const tools = new OrderTools(store);
    await tools.changeAddress("A", address, call("m"));
    const order = await changed(path, change, store);
    await expect(tools.restoreAddress("A", address, ok, call("m"))).rejects.toMatchObject({ code });
    expect(await store.order("A")).toEqual(order);
  });

  async function changed(path: string, change: string, store: OrderStore): Promise<unknown> {
    const other = new DatabaseSync(path);
    other.exec(`UPDATE orders SET ${change} WHERE order_id = 'A'`);
    other.close();
    return store.order("A");
  }
});

describe("while another connection writes", () => {
  it("a write waits and goes through; a read does not wait", async () => {
    const path = newPath();
    using store = openOrderStore({ path, sampleData: true });
    const tools = new OrderTools(store);
    const other = new DatabaseSync(path);
    other.exec("BEGIN IMMEDIATE; UPDATE orders SET delivery_days = 9 WHERE order_id = 'A'");
    let isDone = false;
    const cancelled = tools.cancelOrder("B", undefined, call("k")).then((result) => {
      isDone = true;
      return result;
    });
    expect(await tools.getDelivery("A", call("d"))).toEqual({ orderId: "A", days: 2 });
    expect(isDone).toBe(false);
    other.exec("COMMIT");
    other.close();
    expect(await cancelled).toMatchObject({ status: "cancelled" });
    expect(await tools.getDelivery("A", call("e"))).toEqual({ orderId: "A", days: 9 });
  });

  it("a query waits for an effect that is about to be committed", async () => {
    const path = newPath();
    using store = openOrderStore({ path, sampleData: true });
    const other = new DatabaseSync(path);
    other.exec(
      `BEGIN IMMEDIATE;
       INSERT INTO operations (idempotency_key, kind, order_id, arguments, result, former, recorded_at)
       VALUES ('k', 'cancel', 'A', '["A",null]', '{"orderId":"A"}', '{"status":"processing"}', '')`,
    );
    const answer = new OrderTools(store).queryCancelOrder("A", undefined, call("k"));
    // Long enough for a query that does not wait to be answered.
    await new Promise((resolve) => setTimeout(resolve, 30));
    other.exec("COMMIT");
    other.close();
    expect(await answer).toEqual({ done: true, result: { orderId: "A" } });
  });

  it("a write gives up after `busyTimeoutMs`, and may be tried again", async () => {
    const path = newPath();
    using store = openOrderStore({ path, sampleData: true, busyTimeoutMs: 30 });
    const tools = new OrderTools(store);
    const other = new DatabaseSync(path);
    other.exec("BEGIN IMMEDIATE");
    await expect(tools.cancelOrder("A", undefined, call("k"))).rejects.toMatchObject({
      name: "ToolError",
      code: "ORDER_DATABASE_BUSY",
      retryable: true,
    });
    other.close();
    expect(await tools.cancelOrder("A", undefined, call("k"))).toMatchObject({ status: "cancelled" });
  });

  it("the waiting ends at once on abort, and nothing is written afterwards", async () => {
    const path = newPath();
    using store = openOrderStore({ path, sampleData: true, busyTimeoutMs: 60_000 });
    const other = new DatabaseSync(path);
    other.exec("BEGIN IMMEDIATE");
    const abort = new AbortController();
    const reason = new Error("enough");
    const waiting = new OrderTools(store).cancelOrder("A", undefined, call("k", abort.signal));
    setTimeout(() => abort.abort(reason), 20);
    await expect(waiting).rejects.toBe(reason);
    other.close();
    expect(await store.order("A")).toMatchObject({ status: "processing" });
  });

  it("nothing is written for a call that was aborted before", async () => {
    using store = openOrderStore();
    const reason = new Error("enough");
    await expect(new OrderTools(store).cancelOrder("A", undefined, call("k", AbortSignal.abort(reason)))).rejects.toBe(reason);
    expect(await store.query({ kind: "cancel", orderId: "A" }, { idempotencyKey: "k" })).toEqual({ absent: true });
  });
});

describe("a process that is killed", () => {
  /** Kills a process that hangs at the given moment of a cancellation. */
  async function crash(where: "inside" | "after"): Promise<string> {
    const path = newPath();
    openOrderStore({ path, sampleData: true }).close();
    const child = start("cancel-and-hang.mjs", path, "k", where);
    const errors = text(child.stderr);
    const first = await Promise.race([once(child.stdout, "data"), once(child, "exit")]);
    expect(String(first[0]), `the process ended early: ${child.exitCode === null ? "" : await errors}`).toBe("ready\n");
    child.kill("SIGKILL");
    const [, signal] = (await once(child, "exit")) as [number | null, string | null];
    expect(signal).toBe("SIGKILL");
    return path;
  }

  it("after the effect leaves effect and record: the query knows, and the same key does nothing more", async () => {
    using store = openOrderStore({ path: await crash("after") });
    const tools = new OrderTools(store);
    const result = { orderId: "A", status: "cancelled", reason: "too slow" };
    expect(await store.order("A")).toMatchObject({ status: "cancelled", cancelReason: "too slow" });
    expect(await tools.queryCancelOrder("A", "too slow", call("k"))).toEqual({ done: true, result });
    expect(await tools.cancelOrder("A", "too slow", call("k"))).toEqual(result);
  });

  it("between effect and record leaves neither: the query says absent, and the same key may act", async () => {
    using store = openOrderStore({ path: await crash("inside") });
    const tools = new OrderTools(store);
    expect(await store.order("A")).toMatchObject({ status: "processing" });
    expect(await tools.queryCancelOrder("A", "too slow", call("k"))).toEqual({ absent: true });
    expect(await tools.cancelOrder("A", "too slow", call("k"))).toMatchObject({ orderId: "A", status: "cancelled" });
  });
});
