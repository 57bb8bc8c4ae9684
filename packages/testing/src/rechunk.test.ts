import fc from "fast-check";
import { expect, test } from "vitest";
import { rechunk } from "./rechunk.js";

test("gives back the same bytes in pieces of the asked size", () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 500 }),
      fc.oneof(fc.integer({ min: 1, max: 100 }), fc.constantFrom("byte" as const, "random" as const)),
      fc.nat(),
      (bytes, mode, seed) => {
        const pieces = [...rechunk(bytes, mode, seed)];
        expect(Buffer.concat(pieces)).toEqual(Buffer.from(bytes));
        const limit = mode === "byte" ? 1 : mode === "random" ? 64 : mode;
        expect(pieces.every((piece) => piece.length > 0 && piece.length <= limit)).toBe(true);
        // All but the last are full, unless the sizes are random.
        expect(mode === "random" || pieces.length === Math.ceil(bytes.length / limit)).toBe(true);
      },
    ),
  );
});

test("random sizes are the same for the same seed, and differ between seeds", () => {
  const sizes = (seed: number): number[] => [...rechunk(new Uint8Array(1000), "random", seed)].map((piece) => piece.length);
  expect(sizes(7)).toEqual(sizes(7));
  expect(sizes(7)).not.toEqual(sizes(8));
  expect(new Set(sizes(7)).size).toBeGreaterThan(5);
});
