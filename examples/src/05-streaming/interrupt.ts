import { type CallRecord, ToolwrightError } from "@toolwright/core";
import { reply } from "@toolwright/testing";
import { workDone } from "../shared/work-done.js";
import { scriptedAgent } from "./scripted-agent.js";

/** Ctrl-C aborts a run at once, whatever its tools do. What they had done by then is told, and what nobody can know. */
export async function showInterrupt(): Promise<void> {
  console.log("\n== Ctrl-C");
  await using scripted = await scriptedAgent([
    reply.calls(
      { callId: "call_1", name: "get_delivery", arguments: { orderId: "A" } },
      { callId: "call_2", name: "pack_order", arguments: { orderId: "A" } },
      // Writes go one after the other: this one has not started while the other one works.
      { callId: "call_3", name: "pack_order", arguments: { orderId: "B" } },
    ),
    reply.text("Both orders are packed."),
  ]);
  const controller = new AbortController();
  let interruptedAt = 0;
  const interrupt = (): void => {
    interruptedAt = performance.now();
    controller.abort(new Error("Ctrl-C"));
  };
  process.once("SIGINT", interrupt);
  try {
    const awaited = new Set(["tool-outcome call_1", "tool-start call_2"]);
    const stream = scripted.agent.stream("Pack orders A and B.", { signal: controller.signal });
    for await (const event of stream) {
      const known = "callId" in event && awaited.delete(`${event.type} ${event.callId}`);
      if (known && awaited.size === 0) console.log("packing order A: press Ctrl-C now, or wait ten seconds");
    }
    const result = await stream.result;
    console.log(`${result.stopReason}: nobody pressed Ctrl-C`);
  } catch (error) {
    if (!ToolwrightError.is(error, "RUN_ABORTED")) throw error;
    console.log(`${error.code} ${Math.ceil(performance.now() - interruptedAt)} ms after Ctrl-C`);
    for (const call of workDone(error).steps.flatMap(({ calls }) => calls)) console.log(`${call.callId}  ${call.tool}: ${becameOf(call)}`);
    process.exitCode = 130;
  } finally {
    process.off("SIGINT", interrupt);
  }
}

function becameOf({ outcome }: CallRecord): string {
  switch (outcome.kind) {
    case "ok":
      return `finished, ${String(outcome.output)}`;
    case "unknown":
      return "started, not finished: it may or may not have taken effect";
    case "skipped":
      return `not started: ${outcome.reason}`;
    default:
      return `not finished: ${outcome.kind}`;
  }
}
