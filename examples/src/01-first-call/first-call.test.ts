import { reply, startResponsesServer } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { runCompiled, standInLine } from "../test-support/run-compiled.js";

describe("01-first-call", () => {
  it("prints the calls that the model asks for, and runs none", async () => {
    const { exitCode, stdout, stderr } = await runCompiled("01-first-call");
    expect(stderr).toBe("");
    expect(exitCode).toBe(0);
    const [first, ...calls] = stdout.trimEnd().split("\n");
    expect(`${first}\n`).toBe(standInLine);
    expect(calls).toEqual([
      expect.stringMatching(/^get_weather {2}\{"city":"Kazan"\} {2}call_\w+$/),
      expect.stringMatching(/^get_weather {2}\{"city":"Sochi"\} {2}call_\w+$/),
    ]);
    expect(stdout).not.toContain("cloudy");
  });

  it("says so when the model calls nothing", async () => {
    const { exitCode, stdout } = await runCompiled("01-first-call", ["Who wrote War and Peace?"]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain("No calls. The model answers: I can't answer that offline.");
  });

  it("asks the server that the variables name, once, with two strict tools", async () => {
    await using server = await startResponsesServer([
      reply.calls({ name: "calculate", arguments: { expression: "1 + 1" }, callId: "call_sum" }),
    ]);
    const { exitCode, stdout } = await runCompiled("01-first-call", ["What is 1 + 1?"], {
      OPENAI_API_KEY: "test",
      OPENAI_BASE_URL: server.url,
    });
    expect(exitCode).toBe(0);
    expect(stdout).toBe('calculate  {"expression":"1 + 1"}  call_sum\n');
    server.assertDone();
    expect(server.request(0).body).toMatchObject({
      model: "gpt-5.4-mini",
      input: "What is 1 + 1?",
      tools: [
        { type: "function", name: "get_weather", strict: true },
        { type: "function", name: "calculate", strict: true },
      ],
    });
  });
});
