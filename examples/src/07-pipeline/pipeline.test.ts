import { reply, startResponsesServer } from "@toolwright/testing";
import { beforeAll, describe, expect, it } from "vitest";
import { type Finished, runCompiled, standInLine } from "../test-support/run-compiled.js";

const layersOf = (stdout: string, hook: string): string[] => {
  const line = stdout.split("\n").find((each) => each.startsWith(`${hook} `)) ?? "";
  return line
    .slice(hook.length)
    .replaceAll(/\(\{.*?\}\)/g, "")
    .trim()
    .split(" → ");
};

describe("07-pipeline", () => {
  let usual: Finished;
  beforeAll(async () => {
    usual = await runCompiled("07-pipeline");
  });

  it("explains its pipeline, in which `order` has moved the audit outside the retries", () => {
    const { stdout } = usual;
    expect(layersOf(stdout, "wrapRun")).toEqual(["logging", "audit", "the loop"]);
    expect(layersOf(stdout, "wrapModelCall")).toEqual(["logging", "stepBudget", "modelRetry", "the model"]);
    expect(layersOf(stdout, "wrapToolCall")).toEqual(["logging", "stepBudget", "toolErrors", "audit", "toolRetry", "the tool"]);
    expect(layersOf(stdout, "onEvent")).toEqual(["logging"]);
  });

  it("audits the write and not the reads, and counts anew in each run", () => {
    const { exitCode, stdout, stderr } = usual;
    expect(stderr).toBe("");
    expect(exitCode).toBe(0);
    expect(stdout.startsWith(standInLine)).toBe(true);
    const [, first, second, ...rest] = stdout.split("\n> ").map((run) => run.trimEnd().split("\n"));
    expect(rest).toEqual([]);
    expect(first).toEqual([
      "When does order F arrive? If it takes more than 3 days, cancel it.",
      expect.stringMatching(/^step 0 {2}stand-in {2}1 call /),
      expect.stringMatching(/^step 0 {2}get_delivery {2}ok /),
      expect.stringMatching(/^step 1 {2}stand-in {2}1 call /),
      'audit   destructive cancel_order({"orderId":"F","reason":"takes 4 days"}) → ok',
      expect.stringMatching(/^step 1 {2}cancel_order {2}ok /),
      expect.stringMatching(/^step 2 {2}stand-in {2}answer /),
      "audit   writes in this run: 1",
      expect.stringMatching(/^run {2}completed {2}3 steps /),
      "Order F arrives in 4 days. Order F is cancelled.",
    ]);
    expect(second).toEqual([
      "When does order A arrive?",
      expect.stringMatching(/^step 0 {2}stand-in {2}1 call /),
      expect.stringMatching(/^step 0 {2}get_delivery {2}ok /),
      expect.stringMatching(/^step 1 {2}stand-in {2}answer /),
      "audit   writes in this run: 0",
      expect.stringMatching(/^run {2}completed {2}2 steps /),
      "Order A arrives in 2 days.",
    ]);
  });

  it("audits a write that was refused, and does not count it", async () => {
    const { exitCode, stdout } = await runCompiled("07-pipeline", ["Cancel order C because it is late."]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('audit   destructive cancel_order({"orderId":"C","reason":"it is late"}) → failed\n');
    expect(stdout).toContain('Order C could not be cancelled: Order "C" is already shipped, so it cannot be cancelled.\n');
    expect(stdout.match(/writes in this run: \d/g)).toEqual(["writes in this run: 0", "writes in this run: 0"]);
  });

  it("tells the writes of a run that fails", async () => {
    await using server = await startResponsesServer([
      reply.calls({ name: "cancel_order", arguments: { orderId: "F", reason: null } }),
      reply.http(400, { code: "invalid_request_error", message: "No." }),
    ]);
    const env = { OPENAI_API_KEY: "test", OPENAI_BASE_URL: server.url };
    const { exitCode, stdout, stderr } = await runCompiled("07-pipeline", [], env);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^MODEL_BAD_REQUEST: /);
    expect(stdout).toContain("audit   writes in this run: 1\n");
  });
});
