import { describe, it } from "vitest";
import { checkHeap, checkRemains } from "../support/measured.js";

it("10,000 runs in one process and 300 over HTTP leave nothing behind", () => checkRemains(10_000, 300));

describe("the memory of a run of 2,000 steps grows with its items only", () => {
  it.each(["model", "run", "stream"] as const)("%s", (way) => checkHeap(way, 2_000));
});
