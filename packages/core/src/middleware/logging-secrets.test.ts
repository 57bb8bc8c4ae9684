import { describe, expect, it } from "vitest";
import { harness, thrown } from "../../test-support/logging-harness.js";

describe("what is kept out", () => {
  it("holds no argument and no output by default, whatever the outcome", async () => {
    for (const format of ["pretty", "json"] as const) {
      const { sink, call } = harness({ format });
      const given = { token: "T-123", note: 'Dear Ann,\n"hello"', pin: 4711, nested: [{ deep: "D-9" }] };
      const text = `no T-123 for 4711: ${JSON.stringify(given)} and D-9`;
      await call(given, { kind: "ok", output: text });
      await call(given, thrown("failed", new Error(text, { cause: new TypeError(text) })));
      await call(given, thrown("unknown", text));
      await call(given, thrown("unknown", { text }));
      await call(given, { kind: "failed", error: { code: "X", message: text, retryable: false } });
      await call(JSON.stringify(given), { kind: "invalid", error: { code: "X", message: text, retryable: false } });
      await call(given, { kind: "denied", reason: text }, { started: false });
      expect(sink.lines).toHaveLength(7);
      for (const line of sink.lines) expect(line).not.toMatch(/T-123|4711|Ann|hello|D-9/);
    }
  });

  it("still logs what a tool threw: name, message, place, causes", async () => {
    const { sink, call } = harness({ format: "json" });
    const cause = Object.assign(new Error("connect ECONNREFUSED postgres://app:pw@db"), { code: "ECONNREFUSED" });
    await call({}, thrown("failed", new TypeError("no answer for user:pw@host", { cause })));
    const [record] = sink.records;
    expect(record).toMatchObject({
      error: "The tool failed (reference 7f3a).",
      cause: {
        name: "TypeError",
        message: "no answer for [hidden]@host",
        stack: expect.stringMatching(/^at .*logging-secrets\.test\.ts:\d+:\d+/),
        cause: { name: "Error", code: "ECONNREFUSED", message: "connect ECONNREFUSED postgres://[hidden]@db" },
      },
    });
    expect(sink.lines[0]).not.toContain("pw");
    const people = harness();
    await people.call({}, thrown("failed", cause));
    expect(people.sink.lines).toHaveLength(1);
    expect(people.sink.lines[0]).toMatch(
      /failed  TOOL_FAILED .*reference 7f3a\). ← Error: connect ECONNREFUSED .* \(at .*logging-secrets\.test\.ts/,
    );
  });

  it("hides what `redact` names, in arguments and wherever it turns up again", async () => {
    for (const format of ["pretty", "json"] as const) {
      const { sink, call } = harness({ content: true, redact: ["token", "*.password"], format });
      const given = { token: "T-123", note: "n-456", user: { password: "P-789" } };
      await call(given, { kind: "ok", output: JSON.stringify({ token: "T-999", seen: "T-123", other: "n-456" }) });
      await call(given, { kind: "ok", output: "used T-123 and P-789" });
      await call(given, thrown("failed", new Error("bad T-123, P-789")));
      await call(JSON.stringify(given), { kind: "invalid", error: { code: "X", message: "bad", retryable: false } });
      await call("T-123 {", { kind: "invalid", error: { code: "X", message: "bad", retryable: false } });
      expect(sink.lines).toHaveLength(5);
      expect(sink.lines[0]).toContain("n-456");
      for (const line of sink.lines) expect(line).not.toMatch(/T-123|T-999|P-789/);
    }
  });

  it("hides what looks like a secret, with content on too", async () => {
    const { sink, call } = harness({ content: true });
    await call({ url: "https://u:pw@host/" }, { kind: "ok", output: "Authorization: Bearer abc123" });
    expect(sink.lines[0]).not.toMatch(/pw|abc123/);
  });

  it("shows nothing of an output that is too long to be looked through", async () => {
    const { sink, call } = harness({ content: true, redact: ["token"] });
    await call({}, { kind: "ok", output: JSON.stringify({ token: "T-123", pad: "x".repeat(300_000) }) });
    expect(sink.lines[0]).toContain("too long to redact");
    expect(sink.lines[0]).not.toContain("T-123");
  });
});
