import { expect, test } from "vitest";
import { jsonLine, oneLine, prose, ProseStream, shortened } from "./shown.js";

test("prose keeps lines, tabs and signs of several parts, and writes out what a terminal acts upon", () => {
  expect(prose("a\n\tb 👩‍💻 C:\\x")).toBe("a\n\tb 👩‍💻 C:\\x");
  expect(prose("\u001b[2J\r\u009b\u202e\u2028")).toBe("\\u{1b}[2J\\r\\u{9b}\\u{202e}\\u{2028}");
});

test("a character that comes in two pieces is one", () => {
  const stream = new ProseStream();
  const pieces = ["a\ud83d", "\ude00b\ud83d"].map((piece) => stream.push(piece));
  expect([...pieces, stream.end(), stream.end()]).toEqual(["a", "😀b", "\\u{d83d}", ""]);
});

test("one line is one line", () => {
  expect(oneLine("a\nb\u200bé")).toBe("a\\nb\\u{200b}é");
});

test("JSON stays JSON", () => {
  const value = { text: "a\u202eb\u{e0041}\n\u0007é" };
  const line = jsonLine(value);
  expect(line).toBe(String.raw`{"text":"a\u202eb\udb40\udc41\n\u0007é"}`);
  expect(JSON.parse(line)).toEqual(value);
});

test("what is cut says how much is left, and no character is cut in two", () => {
  expect(shortened("abc", 3)).toBe("abc");
  expect(shortened("ab😀cd", 3)).toBe("ab… (3 characters more)");
});
