import { beforeAll, describe, expect, it } from "vitest";
import {
  checkAllDeliveries,
  checkAllEvents,
  checkInterleavings,
  checkMangledStreams,
  checkRandomDeliveries,
  type StreamFuzz,
  streamFuzz,
} from "./streams.js";

const seed = Date.now() % 2 ** 31;
let fuzz: StreamFuzz;
beforeAll(async () => {
  fuzz = await streamFuzz();
});

describe("L02, L06: a reply is the same however it is delivered, and nothing of a broken one is run or kept", () => {
  it("every scenario in every framing: in one piece, in single bytes, in uneven pieces", async () => {
    expect(await checkAllDeliveries(fuzz)).toBeGreaterThan(1_000);
  }, 120_000);

  it("every scenario broken off after each of its events", async () => {
    expect(await checkAllEvents(fuzz)).toBeGreaterThan(500);
  }, 120_000);

  it("500 random framings, pieces and places to break off", () => checkRandomDeliveries(fuzz, 500, seed), 120_000);

  it("200 random interleavings of items", () => checkInterleavings(fuzz, 200, seed), 120_000);

  it("500 streams that no server should send", async () => {
    const ends = await checkMangledStreams(fuzz, 500, seed);
    expect([...ends.keys()]).toEqual(expect.arrayContaining(["completed", "MODEL_PROTOCOL", "MODEL_STREAM_ENDED"]));
  }, 120_000);
});
