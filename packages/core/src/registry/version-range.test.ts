import { describe, expect, it } from "vitest";
import { satisfies } from "./version-range.js";

describe("a version is within a range as npm reads it", () => {
  it.each([
    ["0.1.0", "^0.1.0", true],
    ["0.1.9", "^0.1.0", true],
    ["0.2.0", "^0.1.0", false],
    ["0.0.4", "^0.0.3", false],
    ["0.0.3", "^0.0.3", true],
    ["1.9.0", "^1.2.3", true],
    ["1.2.2", "^1.2.3", false],
    ["2.0.0", "^1.2.3", false],
    ["1.5.0", "^1", true],
    ["0.5.0", "^0", true],
    ["0.1.3", "^0.1", true],
    ["1.2.9", "~1.2.3", true],
    ["1.3.0", "~1.2.3", false],
    ["1.9.0", "~1", true],
    ["1.2.3", "1.2.3", true],
    ["1.2.3", "=1.2.3", true],
    ["1.2.3", "v1.2.3", true],
    ["1.2.4", "1.2.3", false],
    ["1.2.4", "1.2", true],
    ["1.2.4", "1.2.x", true],
    ["1.2.4", "1.x", true],
    ["2.0.0", "1.X.X", false],
    ["7.0.0", "*", true],
    ["7.0.0", "", true],
    ["7.0.0", "x", true],
    ["22.13.1", ">=22.13", true],
    ["22.12.9", ">=22.13", false],
    ["24.0.0", ">=22.13 <24", false],
    ["22.14.0", ">= 22.13 < 24", true],
    ["23.0.0", "^22.13 || >=24", false],
    ["24.1.0", "^22.13 || >=24", true],
    ["2.0.0", ">1", true],
    ["1.5.0", ">1", false],
    ["1.3.0", ">1.2", true],
    ["1.2.9", ">1.2", false],
    ["1.5.0", "<=1", true],
    ["2.0.0", "<=1", false],
    ["1.2.0", "<1.2", false],
    ["1.5.0", "1.2 - 2", true],
    ["2.9.9", "1.2 - 2", true],
    ["3.0.0", "1.2 - 2", false],
    ["1.2.3", "1.2.3 - 1.2.3", true],
    ["1.0.0+build.5", "1.0.0", true],
    ["5.0.0", "workspace:*", true],
    ["5.1.0", "workspace:^5.0.0", true],
    ["6.1.0", "workspace:^5.0.0", false],
    ["6.1.0", "workspace:^", true],
  ])("%s in %j: %s", (version, range, expected) => {
    expect(satisfies(version, range)).toBe(expected);
  });

  // A prerelease of core in a workspace must not count as another release.
  it.each([
    ["0.1.1-beta.0", "^0.1.0", true],
    ["0.2.0-beta.0", "^0.1.0", false],
    ["0.1.0-beta.1", "^0.1.0", false],
    ["0.1.0-beta.2", "^0.1.0-beta.1", true],
    ["0.1.0-beta.1", "^0.1.0-beta.1", true],
    ["0.1.0-alpha.9", "^0.1.0-beta.1", false],
    ["0.1.0-beta.10", ">0.1.0-beta.9", true],
    ["0.1.0-beta.a", ">0.1.0-beta.9", true],
    ["0.1.0-beta", "<0.1.0-beta.1", true],
    ["0.1.0", ">=0.1.0-rc.1", true],
    // What is left open is open to prereleases.
    ["22.13.0-rc.1", ">=22.13", true],
    ["2.0.0-rc.1", "^2", true],
    ["2.0.0-rc.1", "^2.0.0", false],
    ["2.0.0-rc.1", "<2", false],
  ])("%s in %j: %s", (version, range, expected) => {
    expect(satisfies(version, range)).toBe(expected);
  });

  it.each([
    ["1.0.0", "latest"],
    ["1.0.0", ">=one"],
    ["1.0.0", "^1.2.3.4"],
    ["1.0.0", "^"],
    ["1.0.0", "file:../core"],
    ["one", "^1.0.0"],
    ["1.0", "^1.0.0"],
    ["1.0.0", "1".repeat(300)],
    ["1.0.0", ">=1\n<2"],
  ])("%s in %j cannot be told", (version, range) => {
    expect(satisfies(version, range)).toBeUndefined();
  });
});
