// Runs of 400 steps with a pipeline, in a fresh process. Prints milliseconds of CPU a run.
// Usage: node steps.mjs <pipeline> <port>
import { logging, standard, stepBudget } from "@toolwright/core/middleware";
import { ours } from "../loop/ours.mjs";

const [name, port] = process.argv.slice(2);
const nowhere = { write() {} };
const pipelines = {
  nothing: () => [],
  "standard()": () => standard(),
  "logging()": () => [logging({ stream: nowhere, format: "json" })],
  "stepBudget()": () => [stepBudget(1_000)],
  "all three": () => [logging({ stream: nowhere, format: "json" }), stepBudget(1_000), ...standard()],
};

const tool = {
  name: "work",
  description: "Works on a thing and says how it went.",
  effect: "read",
  parameters: {
    type: "object",
    properties: { id: { type: "string", description: "Id of the thing" }, count: { type: "number", description: "How many" } },
    required: ["id", "count"],
    additionalProperties: false,
  },
  execute: async ({ id, count }) => ({ id, count, ok: true }),
};
const runs = 3;
const plan = (steps) => `You are a benchmark. plan:${JSON.stringify({ steps, calls: 1 })}`;
const loop = ours({ baseURL: `http://127.0.0.1:${port}/v1`, tools: [tool], middleware: pipelines[name]() });
// The first requests pay for the connection and for compiling.
await loop.run({ instructions: plan(50) });
// What starting a process leaves to do in the background belongs to no loop.
await new Promise((resolve) => setTimeout(resolve, 300));
globalThis.gc();
const before = process.cpuUsage();
for (let run = 0; run < runs; run += 1) await loop.run({ instructions: plan(400) });
const { user, system } = process.cpuUsage(before);
console.log(JSON.stringify({ milliseconds: (user + system) / 1000 / runs }));
process.exit(0);
