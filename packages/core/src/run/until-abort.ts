import type { RunnableTool } from "../contracts/tool.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import type { OpenCall } from "./open-call.js";
import type { Run } from "./run.js";

/** What a tool does around its method has no more time than its method. */
export async function within<T>({ info }: RunnableTool, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new ToolwrightError("TOOL_TIMEOUT", `${info.name} was not ready within ${info.timeoutMs} ms.`)),
      info.timeoutMs,
    );
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** What came of a wait that an abort has ended. */
export const aborted = Symbol("aborted");

export function untilAbort<T>(run: Run, promise: Promise<T>): Promise<T | typeof aborted> {
  if (run.abort.aborted) {
    promise.catch(() => {});
    return Promise.resolve(aborted);
  }
  return new Promise((resolve, reject) => {
    const off = run.abort.onAbort(() => resolve(aborted));
    promise.then(resolve, reject).finally(off);
  });
}

/** A repetition waits for the attempt whose time was over, for as long as an attempt may take. */
export async function orphanEnded(run: Run, open: OpenCall, tool: RunnableTool): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), tool.info.timeoutMs);
  });
  const ended = await untilAbort(run, Promise.race([(open.orphan as Promise<void>).then(() => true), late]));
  clearTimeout(timer);
  return ended === true;
}
