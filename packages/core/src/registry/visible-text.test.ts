import { describe, expect, it } from "vitest";
import { visibleText } from "./visible-text.js";

describe("a text of elsewhere is shown as what it is", () => {
  it.each([
    ["plain words, ümläute, 漢字, עברית, 😀", "plain words, ümläute, 漢字, עברית, 😀"],
    ["two\nlines\r\n\tmore", String.raw`two\nlines\r\n\tmore`],
    ["\u001b[2K\u001b[1Ahidden", String.raw`\u{1b}[2K\u{1b}[1Ahidden`],
    ["\u009b31mred", String.raw`\u{9b}31mred`],
    ["bell\u0007 del\u007f nul\u0000", String.raw`bell\u{7} del\u{7f} nul\u{0}`],
    ["abc\u202edcba\u202c", String.raw`abc\u{202e}dcba\u{202c}`],
    ["a\u2066b\u2069c\u200fd", String.raw`a\u{2066}b\u{2069}c\u{200f}d`],
    ["zero\u200bwidth\u200d\u2060\ufeff", String.raw`zero\u{200b}width\u{200d}\u{2060}\u{feff}`],
    ["soft\u00adhyphen", String.raw`soft\u{ad}hyphen`],
    ["line\u2028paragraph\u2029", String.raw`line\u{2028}paragraph\u{2029}`],
    ["tag\u{e0041}\u{e0001}", String.raw`tag\u{e0041}\u{e0001}`],
    ["variation\ufe0f\u{e0100}", String.raw`variation\u{fe0f}\u{e0100}`],
    ["filler\u3164\uffa0\u115f\u2800", String.raw`filler\u{3164}\u{ffa0}\u{115f}\u{2800}`],
    ["space\u00a0\u3000\u2003", String.raw`space\u{a0}\u{3000}\u{2003}`],
    ["half\ud800 of a pair", String.raw`half\u{d800} of a pair`],
    ["private\ue000 unassigned\u{10ffff}", String.raw`private\u{e000} unassigned\u{10ffff}`],
    // What is written like an escape is told apart from one.
    [String.raw`a\u{202e}b C:\new`, String.raw`a\\u{202e}b C:\\new`],
  ])("%j", (text, shown) => {
    expect(visibleText(text)).toBe(shown);
  });

  it("never has a character that a terminal acts upon or leaves out", () => {
    const all = Array.from({ length: 0x11_0000 }, (_, code) => String.fromCodePoint(code)).join("");
    expect(visibleText(all)).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\u{fe00}-\u{fe0f}\u{e0000}-\u{e0fff}]/u);
  });
});
