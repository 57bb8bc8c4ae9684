/**
 * Waits, and ends at once when the signal is aborted, leaving neither a timer nor a listener behind.
 *
 * @returns true when the time is over, false when the signal ended it.
 */
export function wait(milliseconds: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve(false);
      return;
    }
    const finish = (elapsed: boolean): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
      resolve(elapsed);
    };
    const stop = (): void => finish(false);
    const timer = setTimeout(finish, milliseconds, true);
    signal.addEventListener("abort", stop, { once: true });
  });
}
