import { describe, expect, it } from "vitest";
import { type Detection, detections, detectors } from "./redact-detect.js";

const found = (detect: Detection, text: string): readonly string[] =>
  detectors([detect], [], [])
    .flatMap(({ find }) => find(text))
    .sort(([one], [other]) => one - other)
    .map(([start, end]) => text.slice(start, end));

describe("email", () => {
  it.each([
    ["write to ann@example.com.", ["ann@example.com"]],
    ["<ann.b+tag@mail.example.co.uk>, bob@x.io", ["ann.b+tag@mail.example.co.uk", "bob@x.io"]],
    ["mailto:jürgen@müller.de", ["jürgen@müller.de"]],
    ["npm i @scope/tools@1.2.3, user@localhost, a@b", []],
  ])("in %s", (text, expected) => expect(found("email", text)).toEqual(expected));
});

describe("phone", () => {
  it.each([
    ["call +49 30 1234567 or +1 (555) 010-9999.", ["+49 30 1234567", "+1 (555) 010-9999"]],
    ["+4930123456789", ["+4930123456789"]],
    ["0049 30 1234567", ["0049 30 1234567"]],
    ["(415) 555-2671, 415-555-2671, 1-415-555-2671, 415.555.2671", ["(415) 555-2671", "415-555-2671", "1-415-555-2671", "415.555.2671"]],
    ["030 1234567 030 7654321", ["030 1234567", "030 7654321"]],
    ["0171/1234567 and 07911 123456", ["0171/1234567", "07911 123456"]],
    ["on 2024-01-02 and 01-02-2024 12, version 1.2.3, order 1234567890, 10.0.0.1, 100-200", []],
    ["at 1700000000000, +12 °C, C+1 555", []],
  ])("in %s", (text, expected) => expect(found("phone", text)).toEqual(expected));
});

describe("credit-card", () => {
  it.each([
    ["4111 1111 1111 1111", ["4111 1111 1111 1111"]],
    ["card 5500-0000-0000-0004, 378282246310005", ["5500-0000-0000-0004", "378282246310005"]],
    ["4111 1111 1111 1111 5500 0000 0000 0004", ["4111 1111 1111 1111", "5500 0000 0000 0004"]],
    ["4111 1111 1111 1112 is wrong, and 9111111111111111 of nobody, 1700000000000", []],
  ])("in %s", (text, expected) => expect(found("credit-card", text)).toEqual(expected));
});

describe("iban", () => {
  it.each([
    ["to DE89 3704 0044 0532 0130 00 TODAY", ["DE89 3704 0044 0532 0130 00"]],
    ["GB29NWBK60161331926819, fr1420041010050500013m02606", ["GB29NWBK60161331926819", "fr1420041010050500013m02606"]],
    ["DE88370400440532013000 is wrong, and so is XX89370400440532013000", []],
    ["AB12 DE89370400440532013000", ["DE89370400440532013000"]],
  ])("in %s", (text, expected) => expect(found("iban", text)).toEqual(expected));
});

describe("secret", () => {
  const jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl";
  it.each([
    ["key sk-proj-abcdefghij0123456789", ["sk-proj-abcdefghij0123456789"]],
    ["ghp_abcdefghijklmnop0123 AKIAIOSFODNN7EXAMPLE", ["ghp_abcdefghijklmnop0123", "AKIAIOSFODNN7EXAMPLE"]],
    [`token ${jwt}.`, [jwt]],
    ["Authorization: Bearer abc.def-1234567", ["abc.def-1234567"]],
    ["postgres://app:p4ss@db/x", ["p4ss"]],
    [
      "-----BEGIN RSA PRIVATE KEY-----\nMIIabc\n-----END RSA PRIVATE KEY-----",
      ["-----BEGIN RSA PRIVATE KEY-----\nMIIabc\n-----END RSA PRIVATE KEY-----"],
    ],
    ["the bearer of good news, a task-list, sk-learn, password: none", []],
  ])("in %s", (text, expected) => expect(found("secret", text)).toEqual(expected));
});

it("ends soon whatever the text", () => {
  const parts = [
    "1",
    "1 ",
    "0 ",
    "+1",
    "4 ",
    "a",
    "a.",
    "a@",
    "@a",
    "AA11",
    "DE89 ",
    "eyJaaaaaaaa.",
    "sk-",
    "bearer ",
    "://a:",
    "(",
    "00 ",
  ];
  for (const detect of detections) {
    for (const part of parts) {
      const text = part.repeat(100_000 / part.length);
      expect(found(detect, text).join("").length).toBeLessThanOrEqual(text.length);
    }
  }
}, 20_000);
