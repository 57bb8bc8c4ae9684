import { reply, startResponsesServer } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { runCompiled, standInLine } from "../test-support/run-compiled.js";

describe("11-nestjs-container", () => {
  it("calls tools of instances that the container made", async () => {
    const { exitCode, stdout, stderr } = await runCompiled("11-nestjs-container");
    expect([exitCode, stderr]).toEqual([0, ""]);
    // Made with the container, as its singletons are, and once.
    expect(stdout).toBe(
      [
        `The container makes WarehouseTools, for the warehouse in Kazan.\n${standInLine}> How many of BOOK-1, BOOK-2 and BOOK-9 are in stock?`,
        'get_stock({"sku":"BOOK-1"}) → ok',
        'get_stock({"sku":"BOOK-2"}) → ok',
        'get_stock({"sku":"BOOK-9"}) → ok',
        "BOOK-1: 12 in stock.",
        "BOOK-2: sold out.",
        "BOOK-9: there is no such article, so there is no count.",
        "",
      ].join("\n"),
    );
  });

  it("sends the tools of all classes, and gives each call to its own", async () => {
    await using server = await startResponsesServer([
      reply.calls(
        { callId: "call_1", name: "calculate", arguments: { expression: "2 * 12" } },
        { callId: "call_2", name: "get_stock", arguments: { sku: " " } },
      ),
      reply.text("24."),
    ]);
    const { exitCode, stdout } = await runCompiled("11-nestjs-container", ["What is twice the stock?"], {
      OPENAI_API_KEY: "test",
      OPENAI_BASE_URL: server.url,
    });
    expect(exitCode).toBe(0);
    expect(stdout).toContain('calculate({"expression":"2 * 12"}) → ok\nget_stock({"sku":" "}) → failed\n24.\n');
    server.assertDone();
    expect(server.request(0).body.tools?.map(({ name }) => name)).toEqual(["get_stock", "calculate"]);
  });
});
