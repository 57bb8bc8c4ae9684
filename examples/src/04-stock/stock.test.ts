import { isFunctionCallOutput, type Item } from "@toolwright/core";
import { reply, startResponsesServer } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { runCompiled, standInLine } from "../test-support/run-compiled.js";

const askAgain = { name: "get_stock", arguments: { sku: "BOOK-1" } };
const forEver = [
  "Now a model that never stops asking (a script, never a real model):",
  "RUN_BUDGET: The budget of 4 steps is used up.",
  "Fix: Raise it, or continue from `error.result.history`.",
  "The work done until then, in 4 requests:",
  ...[0, 1, 2].map((step) => `step ${step}  get_stock({"sku":"BOOK-1"}) → {"sku":"BOOK-1","found":true,"count":12}`),
  'step 3  get_stock({"sku":"BOOK-1"}) → skipped: the budget of 4 steps is used up, and no model would read the output.',
  "",
].join("\n");

describe("04-stock", () => {
  it("tells a count, sold out and unknown apart, and ends a model that asks for ever", async () => {
    const { exitCode, stdout, stderr } = await runCompiled("04-stock");
    expect(stderr).toBe("");
    expect(exitCode).toBe(0);
    expect(stdout).toBe(
      [
        `${standInLine}> How many of BOOK-1, BOOK-2 and BOOK-9 are in stock?`,
        'step 0  get_stock({"sku":"BOOK-1"}) → {"sku":"BOOK-1","found":true,"count":12}',
        'step 0  get_stock({"sku":"BOOK-2"}) → {"sku":"BOOK-2","found":true,"count":0}',
        'step 0  get_stock({"sku":"BOOK-9"}) → {"sku":"BOOK-9","found":false,"count":null}',
        "BOOK-1: 12 in stock.",
        "BOOK-2: sold out.",
        "BOOK-9: there is no such article, so there is no count.",
        "",
        forEver,
      ].join("\n"),
    );
  });

  it("keeps the history itself: nothing is stored, and every request carries all of it", async () => {
    await using server = await startResponsesServer([
      reply.calls({ ...askAgain, callId: "call_1" }),
      reply.calls({ ...askAgain, callId: "call_2" }),
      reply.calls({ ...askAgain, callId: "call_3" }),
      reply.text("There are 12."),
    ]);
    const { exitCode, stdout } = await runCompiled("04-stock", ["How many of BOOK-1?"], {
      OPENAI_API_KEY: "test",
      OPENAI_BASE_URL: server.url,
    });
    expect(exitCode).toBe(0);
    expect(stdout).toContain("\nThere are 12.\n");
    expect(stdout.endsWith(forEver)).toBe(true);
    server.assertDone();
    expect(server.requests.map(({ body }) => body.store)).toEqual([false, false, false, false]);
    expect(server.requests.some(({ body }) => "previous_response_id" in body)).toBe(false);
    const outputs = server.requests.map(({ body }) =>
      (body.input as readonly Item[]).filter(isFunctionCallOutput).map((item) => item.call_id),
    );
    expect(outputs).toEqual([[], ["call_1"], ["call_1", "call_2"], ["call_1", "call_2", "call_3"]]);
  });

  it("fails with the budget's error when the real model goes on asking", async () => {
    await using server = await startResponsesServer(() => reply.calls(askAgain));
    const { exitCode, stderr } = await runCompiled("04-stock", [], { OPENAI_API_KEY: "test", OPENAI_BASE_URL: server.url });
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^RUN_BUDGET: The budget of 4 steps is used up\.\nFix: /);
    expect(server.requests).toHaveLength(4);
  });
});
