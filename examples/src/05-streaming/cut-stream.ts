import { ToolwrightError } from "@toolwright/core";
import { reply } from "@toolwright/testing";
import { scriptedAgent } from "./scripted-agent.js";

/** The connection breaks when the call is already there, word for word, but the response is not completed: nothing runs. */
export async function showCutStream(): Promise<void> {
  console.log("\n== a cut stream");
  const call = reply.calls({ callId: "call_A", name: "pack_order", arguments: { orderId: "A" } });
  // Of seven events, the last of which would be `response.completed`, six are sent.
  await using scripted = await scriptedAgent([reply.cut({ afterEvents: 6 }, call)]);

  let executions = 0;
  try {
    for await (const event of scripted.agent.stream("Pack order A.")) {
      if (event.type === "tool-input-end") console.log(`the model wrote pack_order(${event.arguments}), then the connection broke`);
      if (event.type === "tool-start") executions += 1;
    }
    throw new Error("A response that was cut off counted as a success.");
  } catch (error) {
    // A middleware, modelRetry(), would ask again; this agent has none.
    if (!ToolwrightError.is(error)) throw error;
    console.log(`${error.code} (${error.retryable ? "may be tried again" : "final"}), ${executions} executions`);
  }
}
