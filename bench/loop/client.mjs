// One scenario with one loop in a fresh process. Prints CPU and wall time, and the peak of memory.
const [variant, scenario, port] = process.argv.slice(2);
const make = {
  floor: async () => (await import("./floor.mjs")).floor,
  "raw-http": async () => (await import("./raw-http.mjs")).rawHttp,
  ours: async () => (await import("./ours.mjs")).ours,
};

const parameters = {
  type: "object",
  properties: { id: { type: "string", description: "Id of the thing" }, count: { type: "number", description: "How many" } },
  required: ["id", "count"],
  additionalProperties: false,
};
const tool = (name, delayMs) => ({
  name,
  description: "Works on a thing and says how it went.",
  effect: "read",
  parameters,
  execute: async ({ id, count }) => {
    if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
    return { id, count, ok: true };
  },
});
const plan = (fields) => `You are a benchmark. plan:${JSON.stringify(fields)}`;
const filler = (count) => Array.from({ length: count }, (_, index) => tool(`filler_${index}`, 0));

const scenarios = {
  "400 steps, local": { run: (loop) => loop.run({ instructions: plan({ steps: 400, calls: 1 }) }) },
  "200 steps, local": { run: (loop) => loop.run({ instructions: plan({ steps: 200, calls: 1 }) }) },
  "400 steps, chained": { run: (loop) => loop.run({ instructions: plan({ steps: 400, calls: 1 }), chained: true }) },
  "100 parallel calls": { delayMs: 5, run: (loop) => loop.run({ instructions: plan({ steps: 1, calls: 100 }) }) },
  "400 parallel calls": { delayMs: 5, run: (loop) => loop.run({ instructions: plan({ steps: 1, calls: 400 }) }) },
  "20,000 deltas": {
    run: async (loop) => {
      let length = 0;
      await loop.stream({ instructions: plan({ deltas: 20_000 }), onText: (text) => (length += text.length) });
      if (length !== 100_000) throw new Error(`lost text: ${length}`);
    },
  },
  "200 runs of 5 steps": {
    run: (loop) => Promise.all(Array.from({ length: 200 }, () => loop.run({ instructions: plan({ steps: 5, calls: 1 }) }))),
  },
  "200 tools, 20 steps": { tools: 199, run: (loop) => loop.run({ instructions: plan({ steps: 20, calls: 1 }) }) },
};

const { delayMs = 0, tools = 0, run } = scenarios[scenario];
const loop = (await make[variant]())({ baseURL: `http://127.0.0.1:${port}/v1`, tools: [tool("work", delayMs), ...filler(tools)] });
// The first request pays for the connection and for compiling; a short run goes before.
await loop.run({ instructions: plan({ steps: 3, calls: 1 }) });
if (scenario === "20,000 deltas") await loop.stream({ instructions: plan({ deltas: 100 }), onText() {} });
// What starting a process leaves to do in the background belongs to no loop.
await new Promise((resolve) => setTimeout(resolve, 400));
// Nor does the one large collection that the runtime makes when the start-up has filled its first heap: with one loop it
// falls before the measured part, with another into it, by chance of how much each has loaded.
globalThis.gc();
const cpu = process.cpuUsage();
const wall = performance.now();
await run(loop);
const { user, system } = process.cpuUsage(cpu);
console.log(
  JSON.stringify({ cpuMs: (user + system) / 1000, wallMs: performance.now() - wall, rssMb: process.resourceUsage().maxRSS / 1024 }),
);
process.exit(0);
