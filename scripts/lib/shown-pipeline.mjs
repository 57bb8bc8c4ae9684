/** The agent whose pipeline docs/middleware/order.md shows. */
export async function shownPipeline() {
  const { Agent } = await import("../../packages/core/dist/index.js");
  const { approval, budget, logging, redact, standard, timeout, trimOutputs, untrusted } =
    await import("../../packages/core/dist/middleware.js");
  return new Agent({
    model: "gpt-5.4-mini",
    middleware: [
      logging(),
      redact(),
      untrusted(),
      budget({ steps: 12, requests: 20 }),
      ...standard(),
      timeout({ modelMs: 60_000 }),
      approval(),
      trimOutputs(),
    ],
  });
}
