/** Far above what anything here needs, and far below for ever: it tells a hang from an end. */
const hangMs = 4_000;

/** The promise's end; rejects when it hangs. */
export async function ends<T>(promise: Promise<T>, what = "It"): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const hang = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} hangs.`)), hangMs);
  });
  try {
    return await Promise.race([promise, hang]);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits. */
export function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
}

/** Waits until something holds that nothing tells of. */
export async function until(holds: () => boolean): Promise<void> {
  const poll = async (): Promise<void> => {
    while (!holds()) await sleep(2);
  };
  await ends(poll(), "What is waited for");
}

/** Waits until the signal is aborted, as a tool does that heeds it. */
export function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason as Error);
    else signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });
}

/** Never settles. */
export function forever(): Promise<never> {
  return new Promise(() => {});
}
