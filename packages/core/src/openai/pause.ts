import { requestError } from "./request-error.js";

/**
 * Waits.
 *
 * @throws ToolwrightError `RUN_ABORTED` at once when the signal is aborted; neither a timer nor a listener is left behind.
 */
export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(requestError(signal.reason, signal));
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
  });
}
