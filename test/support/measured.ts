import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";

/** Far above what anything here takes, and far below for ever: what a timer of the agent's own would hold a process up for is more. */
const hangMs = 45_000;

/** Runs a script of `loop/fixtures` in a process that can collect its garbage; gives the JSON lines that it prints. */
async function measured<Line>(script: string, parameters: readonly (string | number)[], limitMs: number): Promise<readonly Line[]> {
  const path = fileURLToPath(new URL(`../loop/fixtures/${script}`, import.meta.url));
  const output = await new Promise<string>((resolve, reject) => {
    execFile(process.execPath, ["--expose-gc", path, ...parameters.map(String)], { timeout: limitMs }, (error, out, errors) => {
      if (error === null) resolve(out);
      else reject(new Error(`${script} ${parameters.join(" ")}: ${error.killed === true ? "it hangs" : errors}`));
    });
  });
  return output.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Line]));
}

interface HeapMark {
  readonly step: number;
  /** Bytes in use, after a collection. */
  readonly heap: number;
  /** Characters of the items so far, as JSON. */
  readonly items: number;
}

/** Of a long run's memory: it grows with the items of the run, by a few times their size, and by nothing else. */
export async function checkHeap(way: "model" | "run" | "stream", steps: number): Promise<void> {
  const marks = await measured<HeapMark>("heap.mjs", [way, steps], hangMs + 20 * steps);
  expect(marks.map(({ step }) => step)).toEqual([steps / 4, steps / 2, steps]);
  const [quarter, half, whole] = marks as readonly [HeapMark, HeapMark, HeapMark];
  const early = half.heap - quarter.heap;
  const late = whole.heap - half.heap;
  const items = whole.items - half.items;
  // An item is there as an object, as text for the wire, and in the last request; its arguments are there once more.
  expect(late).toBeGreaterThan(items / 2);
  expect(late).toBeLessThan(8 * items + 2_000_000);
  // Twice as many steps take twice as much. What is kept of each step's whole history would take four times as much.
  expect(late).toBeLessThan(2.4 * early + 500_000);
}

interface Remains {
  readonly before: readonly string[];
  readonly afterRuns: readonly string[];
  readonly afterClose: readonly string[];
  readonly sockets: number;
  readonly requests: number;
  readonly listeners: number;
  readonly heapGrowth: number;
  readonly warnings: readonly string[];
}

/** Of many runs, of all kinds and ends: they leave no timer, no socket, no listener on the caller's signal and no memory behind. */
export async function checkRemains(runs: number, runsOverHttp: number): Promise<void> {
  const [remains] = await measured<Remains>("leaks.mjs", [runs, runsOverHttp], hangMs + 10 * runs + 50 * runsOverHttp);
  if (remains === undefined) throw new Error("The script printed nothing.");
  const { before, afterRuns, afterClose, sockets, requests, listeners, heapGrowth, warnings } = remains;
  expect({ afterRuns, afterClose, listeners, warnings }).toEqual({ afterRuns: before, afterClose: before, listeners: 0, warnings: [] });
  expect(requests).toBeGreaterThan(runsOverHttp);
  // Both ends of the connections that twenty runs at once need, and that are kept for the next ones.
  expect(sockets).toBeLessThanOrEqual(2 * 20 + 1);
  // Of four fifths of the runs. A kilobyte of each would be more.
  expect(heapGrowth).toBeLessThan(6_000_000 + runs * 100);
}
