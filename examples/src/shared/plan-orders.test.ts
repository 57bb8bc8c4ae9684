import { describe, expect, it } from "vitest";
import { callsOf, converse, tool } from "../test-support/converse.js";
import type { PlannedCall } from "./plan.js";

const stockTool = tool("get_stock", "sku");
const deliveryTool = tool("get_delivery", "orderId");
const cancelTool = tool("cancel_order", "orderId", "reason");
const allTools = [stockTool, deliveryTool, cancelTool, tool("get_weather", "city")];

const days: Record<string, number> = { A: 2, B: 5, C: 1 };
const counts: Record<string, number> = { "BOOK-1": 12, "BOOK-2": 0 };
const failure = (message: string) => ({ error: { code: "ORDER", message, retryable: false } });

function shop({ name, arguments: given }: PlannedCall): unknown {
  const { orderId, sku } = given as { orderId: string; sku: string };
  if (name === "get_weather") return { city: given["city"], found: true, temperatureC: 12, condition: "cloudy" };
  if (name.endsWith("get_stock")) return { sku, found: sku in counts, count: counts[sku] ?? null };
  if (name.endsWith("get_delivery")) return orderId in days ? { orderId, days: days[orderId] } : failure("There is no such order.");
  return orderId === "C" ? failure("It is already shipped.") : { orderId, status: "cancelled", reason: null };
}

const ask = (question: string, tools = allTools) => converse(question, shop, tools);
const answerTo = (question: string, tools = allTools) => ask(question, tools).at(-1);
const said = (...lines: string[]) => ({ kind: "text", text: lines.join("\n") });

describe("questions about stock", () => {
  it("asks for all articles at once, and never says a number that no tool gave", () => {
    const replies = ask("How many of BOOK-1, BOOK-2 and BOOK-9 are in stock?");
    expect(callsOf(replies[0])).toEqual(["BOOK-1", "BOOK-2", "BOOK-9"].map((sku) => ({ name: "get_stock", arguments: { sku } })));
    expect(replies[1]).toEqual(
      said("BOOK-1: 12 in stock.", "BOOK-2: sold out.", "BOOK-9: there is no such article, so there is no count."),
    );
  });

  it("tells a failure, and an answer without a count", () => {
    const answer = (value: unknown) => converse("Is BOOK-1 sold out?", () => value, allTools).at(-1);
    expect(answer(failure("The database is busy."))).toEqual(said("The stock of BOOK-1 could not be looked up: The database is busy."));
    expect(answer({ sku: "BOOK-1" })).toEqual(said("BOOK-1: the count is not known."));
  });

  it("finds a tool behind a prefix", () => {
    expect(callsOf(ask("Is BOOK-2 in stock?", [tool("shop_get_stock", "sku")])[0])).toEqual([
      { name: "shop_get_stock", arguments: { sku: "BOOK-2" } },
    ]);
  });
});

describe("questions about orders", () => {
  it.each([
    ["When does order A arrive?", ["A"]],
    ["When do orders A and B arrive?", ["A", "B"]],
    ["Where are orders A, B, and ORD-17?", ["A", "B", "ORD-17"]],
    ["How long will order B take? And when is Order A delivered?", ["B", "A"]],
  ])("finds the orders of %j", (question, orderIds) => {
    expect(callsOf(ask(question)[0])).toEqual(orderIds.map((orderId) => ({ name: "get_delivery", arguments: { orderId } })));
  });

  it("says when each arrives, and which could not be looked up", () => {
    expect(answerTo("When do orders B, C and Z arrive?")).toEqual(
      said(
        "Order B arrives in 5 days.",
        "Order C arrives in 1 day.",
        "The delivery of order Z could not be looked up: There is no such order.",
      ),
    );
  });

  it("cancels what the question asks for, with the reason", () => {
    const replies = ask("Cancel orders A and C because I moved away.");
    expect(callsOf(replies[0])).toEqual(
      ["A", "C"].map((orderId) => ({ name: "cancel_order", arguments: { orderId, reason: "I moved away" } })),
    );
    expect(replies[1]).toEqual(said("Order A is cancelled.", "Order C could not be cancelled: It is already shipped."));
  });

  it("cancels on a condition only where the answers meet it", () => {
    const replies = ask("When do orders A and B arrive? If one takes more than 3 days, cancel it.");
    expect(replies.map(callsOf)).toEqual([
      ["A", "B"].map((orderId) => ({ name: "get_delivery", arguments: { orderId } })),
      [{ name: "cancel_order", arguments: { orderId: "B", reason: "takes 5 days" } }],
      undefined,
    ]);
    expect(replies[2]).toEqual(said("Order A arrives in 2 days. It is not cancelled.", "Order B arrives in 5 days. Order B is cancelled."));
  });

  it("cancels nothing without a tool for it", () => {
    const tools = [deliveryTool, stockTool];
    expect(answerTo("When does order B arrive? If it takes more than 3 days, cancel it.", tools)).toEqual(
      said("Order B arrives in 5 days. I can't do that: there is no tool cancel_order to call."),
    );
    expect(ask("Cancel order A.", tools)).toEqual([said("I can't do that: there is no tool cancel_order to call.")]);
  });

  it.each(["Which order did I place?", "Order a book for me.", "When did order I placed arrive?"])("finds no order in %j", (question) => {
    expect(ask(question)).toEqual([said("I can't answer that offline.")]);
  });
});

describe("questions that ask for several things", () => {
  it("asks for all in one step, and answers all", () => {
    const replies = ask("What is the weather in Kazan, how many of BOOK-1 are in stock, and when does order A arrive?");
    expect(callsOf(replies[0])?.map(({ name }) => name)).toEqual(["get_weather", "get_stock", "get_delivery"]);
    expect(replies[1]).toEqual(said("Kazan: +12 °C, cloudy.", "BOOK-1: 12 in stock.", "Order A arrives in 2 days."));
  });

  it("takes days and places for those of a delivery, unless it is asked for weather", () => {
    expect(callsOf(ask("In how many days does order A arrive in Kazan?")[0])?.map(({ name }) => name)).toEqual(["get_delivery"]);
  });
});
