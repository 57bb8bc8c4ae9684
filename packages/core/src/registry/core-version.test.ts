import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { coreVersion } from "./core-version.js";

it("is the version that is published", () => {
  const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as { version: string };
  expect(coreVersion).toBe(version);
});
