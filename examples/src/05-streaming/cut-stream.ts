import { ToolwrightError } from "@toolwright/core";
import { type Reply, reply } from "@toolwright/testing";
import { scriptedAgent } from "./scripted-agent.js";

const call = reply.calls({ callId: "call_A", name: "pack_order", arguments: { orderId: "A" } });

/** Streams that end when the call is already there, word for word, but the response is not completed: nothing runs. */
export async function showCutStream(): Promise<void> {
  console.log("\n== a cut stream");
  // Of seven events, the last of which would be `response.completed`, six are sent.
  await show("the connection broke", reply.cut({ afterEvents: 6 }, call));
  await show("the stream just ended", reply.end({ afterEvents: 6 }, call));
}

async function show(what: string, broken: Reply): Promise<void> {
  await using scripted = await scriptedAgent([broken]);
  let executions = 0;
  try {
    for await (const event of scripted.agent.stream("Pack order A.")) {
      if (event.type === "tool-input-end") console.log(`the model wrote pack_order(${event.arguments}), then ${what}`);
      if (event.type === "tool-start") executions += 1;
    }
  } catch (error) {
    // A middleware, modelRetry(), would ask again; this agent has none.
    if (!ToolwrightError.is(error)) throw error;
    console.log(`${error.code} (${error.retryable ? "may be tried again" : "final"}), ${executions} executions`);
    return;
  }
  throw new Error("A response that was not completed counted as a success.");
}
