import { expect, it } from "vitest";
import { checkHostileTexts } from "../fuzz/hostile.js";
import { checkRandomTexts } from "../fuzz/hostile-texts.js";

it("hostile arguments of every kind are answered as invalid, in time and in little memory", async () => {
  expect(await checkHostileTexts("long")).toBeGreaterThan(150);
});

it("a tool gets exactly what the text says, or nothing: 100,000 random texts", async () => {
  for (let round = 0; round < 200; round += 1) {
    const { taken, refused } = await checkRandomTexts(500, (Date.now() + round) % 2 ** 31);
    expect(Math.min(taken, refused)).toBeGreaterThan(50);
  }
});
