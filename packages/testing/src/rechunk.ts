/**
 * Cuts bytes into pieces, wherever that falls: in the middle of a line, of an escape, of a character.
 *
 * @param mode - bytes in a piece, `"byte"` for one, `"random"` for 1 to 64, the same ones for the same seed.
 */
export function* rechunk(bytes: Uint8Array, mode: number | "byte" | "random", seed = 1): Generator<Uint8Array> {
  const random = randomNumbers(seed);
  let start = 0;
  while (start < bytes.length) {
    const size = mode === "byte" ? 1 : mode === "random" ? 1 + Math.floor(random() * 64) : Math.max(1, Math.floor(mode));
    yield bytes.subarray(start, start + size);
    start += size;
  }
}

/** Numbers in [0, 1) that look random and are the same for the same seed (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
