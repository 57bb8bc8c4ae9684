import { get } from "node:http";
import { expect, test } from "vitest";
import { loopbackOnly } from "./loopback-only.js";

const strangers = loopbackOnly();

test.each(["http://192.0.2.1/", "https://a-host.invalid/"])("turns fetch of %s away, and notes it", async (url) => {
  await expect(fetch(url)).rejects.toThrow("fetch failed");
  expect(strangers.splice(0)).toEqual([new URL(url).hostname]);
});

test("turns a plain request away, and notes it", () => {
  expect(() => get("http://192.0.2.1/")).toThrow("A test tried to connect to 192.0.2.1.");
  expect(strangers.splice(0)).toEqual(["192.0.2.1"]);
});
