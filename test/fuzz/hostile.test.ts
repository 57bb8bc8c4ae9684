import { expect, it } from "vitest";
import { checkHostileTexts } from "./hostile.js";
import { checkRandomTexts } from "./hostile-texts.js";

it("hostile arguments are answered as invalid, in time and in little memory", async () => {
  expect(await checkHostileTexts("short")).toBeGreaterThan(50);
}, 180_000);

it("a tool gets exactly what the text says, or nothing: 1,000 random texts", async () => {
  const { taken, refused } = await checkRandomTexts(1000, Date.now() % 2 ** 31);
  expect(Math.min(taken, refused)).toBeGreaterThan(100);
});
