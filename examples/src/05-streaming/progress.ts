import { reply } from "@toolwright/testing";
import { scriptedAgent } from "./scripted-agent.js";

/** Text and arguments in pieces, as the model writes them. Pieces of arguments are shown, never run. */
export async function showProgress(): Promise<void> {
  console.log("\n== as it comes");
  await using scripted = await scriptedAgent([
    reply
      .output(reply.text("Let me look that up."), reply.calls({ callId: "call_A", name: "get_delivery", arguments: { orderId: "A" } }))
      .with({ deltaSize: 4, eventDelayMs: 20 }),
    reply.text("Order A arrives in 2 days.").with({ deltaSize: 4, eventDelayMs: 40 }),
  ]);

  const stream = scripted.agent.stream("When does order A arrive?");
  let pieces = 0;
  let executions = 0;
  for await (const event of stream) {
    switch (event.type) {
      case "text-delta":
        process.stdout.write(event.text);
        pieces += 1;
        break;
      case "tool-input-start":
        process.stdout.write(`\n${event.tool} `);
        break;
      case "tool-input-delta":
        process.stdout.write(`|${event.delta}`);
        break;
      case "tool-start":
        executions += 1;
        console.log(`\nthe response is completed, so ${event.tool} runs now`);
        break;
      case "tool-outcome":
        if (event.outcome.kind === "ok") console.log(`it gave ${String(event.outcome.output)}`);
        break;
      default:
    }
  }
  // The loop has seen all events; only the result says that the run was a success.
  const { stopReason } = await stream.result;
  console.log(`\n${stopReason}: text in ${pieces} pieces, ${executions} execution`);
}
