import { describe, expect, it } from "vitest";
import { cut, jsonLine, oneLine } from "./log-text.js";

describe("oneLine", () => {
  it("escapes what breaks a line or what a terminal obeys", () => {
    expect(oneLine("a\nb\r\tc\u001b[31md\u2028e\u202ef\u0085")).toBe("a\\nb\\r\\tc\\u001b[31md\\u2028e\\u202ef\\u0085");
  });

  it("leaves other text as it is, and mends broken characters", () => {
    expect(oneLine("+12 °C, облачно 🌤")).toBe("+12 °C, облачно 🌤");
    expect(oneLine("x\ud83d")).toBe("x\ufffd");
  });
});

describe("cut", () => {
  it("keeps within the length and does not cut through a character", () => {
    expect(cut("abcdef", 6)).toBe("abcdef");
    expect(cut("abcdefg", 6)).toBe("abcde…");
    expect(cut("abcd🌤g", 6)).toBe("abcd…");
  });
});

describe("jsonLine", () => {
  it("shortens the longest texts until the line fits, and stays JSON", () => {
    const record = { event: "x", output: '\u0000\u2028"'.repeat(5_000), nested: { stack: "y".repeat(9_000) }, amount: 5 };
    const line = jsonLine(record, 2_000);
    expect(line.length).toBeLessThanOrEqual(2_000);
    expect(JSON.parse(line)).toMatchObject({ event: "x", amount: 5 });
    expect(line).not.toMatch(/[\u0000-\u001f\u2028]/);
  });

  it("leaves a short record whole", () => {
    expect(jsonLine({ a: "b" })).toBe('{"a":"b"}');
  });
});
