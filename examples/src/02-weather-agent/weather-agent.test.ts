import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { reply, startResponsesServer } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { runCompiled, standInLine } from "../test-support/run-compiled.js";

describe("02-weather-agent", () => {
  it("prints each step, then the answer", async () => {
    const { exitCode, stdout, stderr } = await runCompiled("02-weather-agent");
    expect(stderr).toBe("");
    expect(exitCode).toBe(0);
    expect(stdout.startsWith(`${standInLine}> What is the weather in Kazan, and what is that in Fahrenheit?\n`)).toBe(true);
    const calls = stdout.split("\n").filter((line) => line.includes("→"));
    expect(calls).toEqual([
      expect.stringMatching(/^step 0 {2}get_weather\(\{"city":"Kazan"\}\) → .*"temperatureC":12.* {2}\d+ ms$/),
      expect.stringMatching(/^step 1 {2}calculate\(\{"expression":"12 \* 9 \/ 5 \+ 32"\}\) → 53\.6 {2}\d+ ms$/),
    ]);
    expect(stdout.endsWith("\nKazan: +12 °C (53.6 °F), cloudy.\n")).toBe(true);
  });

  it.each([
    ["What is the weather in Sochi and New York?", "Sochi: +21 °C, clear.\nNew York: +18 °C, clear.\n"],
    ["What is the weather in Atlantis?", "Atlantis was not found.\n"],
    ["What is (3 + 4) * 12?", "(3 + 4) * 12 = 84.\n"],
    ["What is 1 / 0?", "That could not be calculated: The expression has no defined result: a division by zero.\n"],
    ["Forecast for São Paulo for 2 days in Fahrenheit", ": +18 °C (64.4 °F) to +26 °C (78.8 °F), rain showers\n"],
    [
      "Forecast for Kazan for 99 days",
      "The weather in Kazan could not be looked up: `days` must be a whole number from 1 to 16, not 99.\n",
    ],
  ])("answers %j", async (question, answer) => {
    const { exitCode, stdout } = await runCompiled("02-weather-agent", [question]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain(answer);
  });

  it("takes the question as words of the command line too", async () => {
    const { stdout } = await runCompiled("02-weather-agent", ["weather", "in", "Cairo"]);
    expect(stdout).toContain("Cairo: +31 °C, clear.");
  });

  it("works with a real client against the server that the variables name", async () => {
    await using server = await startResponsesServer([
      reply.calls({ callId: "call_1", name: "get_weather", arguments: { city: "Kazan" } }),
      reply.calls({ callId: "call_2", name: "calculate", arguments: { expression: "12 * 9 / 5 + 32" } }),
      reply.text("It is +12 °C in Kazan, which is 53.6 °F."),
    ]);
    const { exitCode, stdout } = await runCompiled("02-weather-agent", [], {
      OPENAI_API_KEY: "test",
      OPENAI_BASE_URL: server.url,
      OPENAI_MODEL: "some-model",
    });
    expect(exitCode).toBe(0);
    expect(stdout).not.toContain("stand-in");
    expect(stdout.endsWith("\nIt is +12 °C in Kazan, which is 53.6 °F.\n")).toBe(true);
    server.assertDone();
    expect(server.request(2).body).toMatchObject({ model: "some-model", store: false });
    const outputs = (server.request(2).body.input as { type?: string; call_id?: string; output?: string }[]).filter(
      (item) => item.type === "function_call_output",
    );
    expect(outputs.map((item) => item.call_id)).toEqual(["call_1", "call_2"]);
    expect(outputs[1]?.output).toBe("53.6");
  });

  it("ends with a clear message and exit code 1 when the key is refused", async () => {
    await using server = await startResponsesServer([
      reply.http(401, { code: "invalid_api_key", message: "Incorrect API key provided: sk-…" }),
    ]);
    const { exitCode, stderr } = await runCompiled("02-weather-agent", [], { OPENAI_API_KEY: "wrong", OPENAI_BASE_URL: server.url });
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^MODEL_AUTHENTICATION: /);
    expect(stderr).not.toContain("    at ");
  });

  it("ends in the same way when nothing listens", async () => {
    const closed = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => closed.once("listening", resolve));
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    const { exitCode, stderr } = await runCompiled("02-weather-agent", [], {
      OPENAI_API_KEY: "test",
      OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`,
    });
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^MODEL_CONNECTION: /);
  });

  it("refuses a weather service that there is not", async () => {
    const { exitCode, stderr } = await runCompiled("02-weather-agent", [], { WEATHER: "sunny" });
    expect(exitCode).toBe(1);
    expect(stderr).toBe('WEATHER is "sunny". Set it to "sample" or "live".\n');
  });
});
