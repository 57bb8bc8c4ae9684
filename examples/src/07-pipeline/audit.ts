import { defineMiddleware } from "@toolwright/core";

/** Writes a line for each call that would change something, and at the end of a run how many did. */
export const audit = defineMiddleware({
  name: "audit",
  // Fresh for each run, and kept while one is paused: a counter in the middleware itself would be neither.
  state: () => ({ writes: 0 }),
  // One line a call, with what it came to in the end; inside the retries it would be one an attempt.
  order: { outside: ["toolRetry"] },

  async wrapToolCall(call, next, { state }) {
    const outcome = await next(call);
    if (call.tool === undefined || call.tool.effect === "read") return outcome;
    if (outcome.kind === "ok") state.writes += 1;
    console.log(`audit   ${call.tool.effect} ${call.name}(${JSON.stringify(call.arguments)}) → ${outcome.kind}`);
    return outcome;
  },

  async wrapRun(call, next, { state }) {
    try {
      return await next(call);
    } finally {
      console.log(`audit   writes in this run: ${state.writes}`);
    }
  },
});
