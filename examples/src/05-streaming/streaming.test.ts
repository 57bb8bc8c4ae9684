import { beforeAll, describe, expect, it } from "vitest";
import { type Finished, startCompiled } from "../test-support/run-compiled.js";

const asItComes = [
  "as it comes",
  "Let me look that up.",
  'get_delivery |{"or|derI|d":"|A"}',
  "the response is completed, so get_delivery runs now",
  'it gave {"orderId":"A","days":2}',
  "Order A arrives in 2 days.",
  "completed: text in 12 pieces, 1 execution",
  "",
].join("\n");

const cutStream = [
  "a cut stream",
  'the model wrote pack_order({"orderId":"A"}), then the connection broke',
  "MODEL_CONNECTION (may be tried again), 0 executions",
  'the model wrote pack_order({"orderId":"A"}), then the stream just ended',
  "MODEL_STREAM_ENDED (may be tried again), 0 executions",
  "",
].join("\n");

describe("05-streaming", () => {
  let result: Finished;
  let endedAfterMs: number;
  beforeAll(async () => {
    const { child, finished } = startCompiled("05-streaming");
    let seen = "";
    let interruptedAt = 0;
    child.stdout?.on("data", (chunk: Buffer) => {
      seen += chunk.toString();
      if (interruptedAt > 0 || !seen.includes("press Ctrl-C")) return;
      interruptedAt = performance.now();
      child.kill("SIGINT");
    });
    result = await finished;
    endedAfterMs = performance.now() - interruptedAt;
  });

  const section = (index: number): string | undefined => result.stdout.split(/\n== /)[index];

  it("says that the replies are scripted", () => {
    expect(section(0)).toContain("never a real model");
    expect(result.stderr).toBe("");
  });

  it("shows text and arguments as they come, and runs the call once, when its response is completed", () => {
    expect(section(1)).toBe(asItComes);
  });

  it("runs nothing of a stream that is cut off or just ends", () => {
    expect(section(2)).toBe(cutStream);
  });

  it("ends at once on Ctrl-C, and says which calls have finished and which have not", () => {
    // The tool that works at that moment takes five seconds.
    expect(endedAfterMs).toBeLessThan(2000);
    expect(result.exitCode).toBe(130);
    const measured = /RUN_ABORTED (\d+) ms after Ctrl-C/.exec(result.stdout)?.[1];
    expect(Number(measured)).toBeLessThan(2000);
    expect(section(3)?.split("\n")).toEqual([
      "Ctrl-C",
      "packing order A: press Ctrl-C now, or wait ten seconds",
      `RUN_ABORTED ${measured} ms after Ctrl-C`,
      'call_1  get_delivery: finished, {"orderId":"A","days":2}',
      "call_2  pack_order: started, not finished: it may or may not have taken effect",
      "call_3  pack_order: not started: the run was aborted before it started.",
      "",
    ]);
  });
});
