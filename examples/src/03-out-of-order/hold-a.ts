import { defineMiddleware } from "@toolwright/core";

/** Holds the answer to call_A back until call_B has ended, and tells the order in which the calls end. For one run. */
export function holdA(ended: string[]) {
  const bEnded = Promise.withResolvers<void>();
  return defineMiddleware({
    name: "holdA",
    async wrapToolCall(call, next) {
      const outcome = await next(call);
      if (call.callId === "call_A") await bEnded.promise;
      return outcome;
    },
    onEvent(event) {
      if (event.type !== "tool-outcome") return;
      ended.push(event.callId);
      if (event.callId === "call_B") bEnded.resolve();
    },
  });
}
