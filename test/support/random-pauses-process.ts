import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Effect } from "./random-pauses-agents.js";
import type { End } from "./random-pauses-leg.js";

const worker = fileURLToPath(new URL("random-pauses-worker.mjs", import.meta.url));

/** Goes on with a paused run in a process of its own. */
export function inProcess(input: string): Promise<{ readonly end: End; readonly effects: readonly Effect[] }> {
  return new Promise((resolve, reject) => {
    const child = execFile(process.execPath, [worker], { timeout: 30_000, maxBuffer: 2 ** 28 }, (error, stdout) => {
      if (error === null) resolve(JSON.parse(stdout) as Awaited<ReturnType<typeof inProcess>>);
      else reject(error);
    });
    child.stdin?.end(input);
  });
}
