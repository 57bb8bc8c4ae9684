// One measurement in a process of its own, as an app meets it: measure.mjs <what> <folder> [--expose-gc]
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Agent, lockOf, ToolRegistry } from "@toolwright/core";

const [what, folder] = process.argv.slice(2);
const { dependencies } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
const names = Object.keys(dependencies);
const allow = Object.fromEntries(names.map((name) => [name, {}]));
const from = join(folder, "main.js");

const readAll = () => names.map((name) => JSON.parse(readFileSync(join(folder, "node_modules", name, "toolwright.manifest.json"), "utf8")));
const discover = (allowed = allow) => ToolRegistry.discover({ from, allow: allowed });

/** Milliseconds of this thread's own work: what else the machine does is not in it. */
async function timed(action) {
  const start = cpu();
  await action();
  return cpu() - start;
}

function cpu() {
  const { user, system } = process.threadCpuUsage?.() ?? process.cpuUsage();
  return (user + system) / 1_000;
}

const measurements = {
  // First time in the process, and later, when what can be compiled is.
  read: async () => ({ first: await timed(readAll), later: await best(readAll) }),
  list: async () => ({ first: await timed(listed), later: await best(listed) }),
  listLocked: async () => (writeLock(), { first: await timed(listed), later: await best(listed) }),
  listOne: async () => ({ first: await timed(listedOne), later: await best(listedOne) }),
  heapRead: () => heapOf(readAll),
  heapList: () => heapOf(discover),
  heapAgent: () => heapOf(async () => new Agent({ model: "test", tools: [await discover()] })),
  imports,
};

const writeLock = () => writeFileSync(join(folder, "toolwright.lock.json"), JSON.stringify(lockOf(readAll())));
const listed = async () => (await discover()).list();
const listedOne = async () => (await discover({ [names[0]]: {} })).list();

async function best(action) {
  const times = [];
  for (let round = 0; round < 15; round += 1) times.push(await timed(action));
  return times.toSorted((left, right) => left - right)[7];
}

/** Bytes that stay in use for what an action gives. */
async function heapOf(action) {
  // What is loaded or compiled once is not of it.
  await warm(action);
  const before = await heap();
  const kept = [await action()];
  const bytes = (await heap()) - before;
  return { bytes, kept: kept.length };
}

const warm = async (action) => void (await action());

async function heap() {
  for (let round = 0; round < 4; round += 1) {
    // A finished await may still hold its value.
    await new Promise((resolve) => setImmediate(resolve));
    globalThis.gc();
  }
  return process.memoryUsage().heapUsed;
}

/** Which packages are imported, before and after the first call of one tool. */
async function imports() {
  const usage = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, reasoningTokens: 0, totalTokens: 0 };
  const call = {
    type: "function_call",
    id: "fc_1",
    call_id: "call_1",
    name: "p3_tool_0",
    arguments: '{"id":"A","limit":null,"order":"price"}',
    status: "completed",
  };
  const message = {
    type: "message",
    role: "assistant",
    id: "msg_1",
    status: "completed",
    content: [{ type: "output_text", text: "Done.", annotations: [] }],
  };
  const before = [];
  let asked = 0;
  const respond = async ({ tools }) => {
    if (asked === 0) before.push({ tools: tools.length, imported: [...(globalThis.imported ?? [])] });
    asked += 1;
    return { id: undefined, usage, output: asked === 1 ? [call] : [message] };
  };
  const registry = await discover();
  registry.list();
  const result = await new Agent({ model: { name: "stand-in", respond }, tools: [registry] }).run("Go.");
  return { ...before[0], outcome: result.steps[0].calls[0].outcome.kind, after: globalThis.imported };
}

console.log(JSON.stringify(await measurements[what]()));
