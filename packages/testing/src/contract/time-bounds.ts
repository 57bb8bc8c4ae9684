/** Far above what anything in a suite needs, and far below for ever: it tells a hang from an end. In milliseconds. */
export const hangMs = 4_000;

/** How long after an abort a run, and each hook in it, may take at the very most, on any machine. In milliseconds. */
export const abortMs = 2_000;

/** Waits. */
export const sleep = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });

/** The promise's end, or `"hangs"`. */
export async function within<T>(milliseconds: number, promise: Promise<T>): Promise<T | "hangs"> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<"hangs">((resolve) => {
    timer = setTimeout(resolve, milliseconds, "hangs");
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Lets everything happen that has no reason to wait. */
export async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}
