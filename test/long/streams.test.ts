import { beforeAll, expect, it } from "vitest";
import {
  checkAllBytes,
  checkAllDeliveries,
  checkAllEvents,
  checkInterleavings,
  checkMangledStreams,
  checkRandomDeliveries,
  type StreamFuzz,
  streamFuzz,
} from "../fuzz/streams.js";
import { chosenSeed } from "../support/random-batches.js";

const seed = chosenSeed();
let fuzz: StreamFuzz;
beforeAll(async () => {
  fuzz = await streamFuzz();
});

it("every scenario in every framing and every kind of pieces, and broken off after each of its events", async () => {
  expect(await checkAllDeliveries(fuzz)).toBeGreaterThan(1_000);
  expect(await checkAllEvents(fuzz)).toBeGreaterThan(500);
});

it.each([
  ["plain", 1],
  ["CRLF", 5],
  ["data over several lines", 7],
  ["comments", 11],
] as const)("every scenario broken off after each of its bytes (%s, one in %i)", async (framing, stride) => {
  expect(await checkAllBytes(fuzz, framing, stride)).toBeGreaterThan(10_000);
});

it(`20,000 random framings, pieces and places to break off, from seed ${seed}`, () => checkRandomDeliveries(fuzz, 20_000, seed));

it(`5,000 random interleavings of items, from seed ${seed}`, () => checkInterleavings(fuzz, 5_000, seed));

it(`20,000 streams that no server should send, from seed ${seed}`, async () => {
  const ends = await checkMangledStreams(fuzz, 20_000, seed);
  const codes = ["MODEL_FAILED", "MODEL_INCOMPLETE", "MODEL_STREAM_ENDED", "MODEL_PROTOCOL"];
  expect([...ends.keys()]).toEqual(expect.arrayContaining(["completed", "refused", ...codes]));
});
