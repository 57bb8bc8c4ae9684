import type { ToolwrightError } from "../errors/toolwright-error.js";

/** What work comes to, or an error when it takes longer: work that hangs fails who waits for it, and no one else. */
export async function within<T>(timeoutMs: number, work: Promise<T>, error: () => ToolwrightError): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(error()), timeoutMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
