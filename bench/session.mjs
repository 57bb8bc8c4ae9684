// What a session costs: the same runs without one, with one in memory and with one in an SQLite file, interleaved in one
// process against one loopback server. Ratios are steps per second ÷ those without a session, medians. Then: whether a step
// writes more when the history is longer. Usage: node bench/session.mjs [repetitions] [steps]
import { fork } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { Agent, defineTool, memorySession, sqliteSession } from "@toolwright/core";
import { OpenAI } from "openai";

const repetitions = Number(process.argv[2] ?? 7);
const steps = Number(process.argv[3] ?? 200);
const folder = mkdtempSync(join(tmpdir(), "session-bench-"));
const server = fork(fileURLToPath(new URL("loop/server.mjs", import.meta.url)));
const port = await new Promise((resolve) => server.once("message", resolve));
const client = new OpenAI({ baseURL: `http://127.0.0.1:${port}/v1`, apiKey: "bench" });
const median = (values) => values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)];

const agentFor = (plan, onCall = () => {}) =>
  new Agent({
    model: "bench",
    client,
    instructions: `You are a benchmark. plan:${JSON.stringify(plan)}`,
    maxSteps: 10_000,
    tools: [
      defineTool({
        name: "work",
        description: "Works on a thing and says how it went.",
        effect: "read",
        parameters: {
          type: "object",
          properties: { id: { type: "string" }, count: { type: "number" } },
          required: ["id", "count"],
          additionalProperties: false,
        },
        execute: ({ id, count }) => (onCall(), { id, count, ok: true }),
      }),
    ],
  });

let files = 0;
const variants = {
  "no session": () => ({ history: { kind: "local" }, close() {} }),
  memory: () => ({ history: { kind: "local", session: memorySession() }, close() {} }),
  sqlite: () => {
    const session = sqliteSession({ path: join(folder, `${(files += 1)}.db`), id: "chat" });
    return { history: { kind: "local", session }, close: () => session.close() };
  },
};

// A run whose calls fail would be fast.
function assertWorked({ output, steps: done }) {
  const failed = done.flatMap((step) => step.calls).find((call) => call.outcome.kind !== "ok");
  if (output !== "done" || failed !== undefined)
    throw new Error(`The run did not do its work: ${JSON.stringify(failed?.outcome ?? output)}`);
}

async function secondsOf(agent, variant) {
  const { history, close } = variants[variant]();
  const start = performance.now();
  const result = await agent.run("go", { history });
  const seconds = (performance.now() - start) / 1000;
  close();
  assertWorked(result);
  return seconds;
}

async function compare(title, plan, work, unit) {
  const agent = agentFor(plan);
  for (const variant of Object.keys(variants)) await secondsOf(agentFor({ ...plan, steps: 1 }), variant);
  const rates = Object.fromEntries(Object.keys(variants).map((variant) => [variant, []]));
  for (let repetition = 0; repetition < repetitions; repetition += 1) {
    for (const variant of Object.keys(variants)) rates[variant].push(work / (await secondsOf(agent, variant)));
  }
  console.log(title);
  const base = median(rates["no session"]);
  for (const [variant, values] of Object.entries(rates)) {
    const ratios = values.map((value) => value / base);
    console.log(
      `  ${variant.padEnd(10)} ${median(values).toFixed(0).padStart(6)} ${unit}/s  ${(median(values) / base).toFixed(2)} × no session (${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)})`,
    );
  }
}

/** Counts the rows that are inserted, updated and deleted in a file, from outside of the session. */
function rowCounter(path) {
  const database = new DatabaseSync(path);
  database.exec("CREATE TABLE bench_writes (total INTEGER NOT NULL); INSERT INTO bench_writes VALUES (0)");
  for (const table of ["sessions", "items", "calls"]) {
    for (const event of ["INSERT", "UPDATE", "DELETE"]) {
      database.exec(
        `CREATE TRIGGER bench_${table}_${event} AFTER ${event} ON ${table} BEGIN UPDATE bench_writes SET total = total + 1; END`,
      );
    }
  }
  const total = database.prepare("SELECT total FROM bench_writes");
  return { rows: () => Number(total.get().total), close: () => database.close() };
}

/** Rows that each step of one long run writes. Ends the process with a failure if a late step writes more than an early one. */
async function growth(count) {
  const path = join(folder, "growth.db");
  const session = sqliteSession({ path, id: "chat" });
  const counter = rowCounter(path);
  const atCalls = [];
  const agent = agentFor({ steps: count, calls: 1 }, () => atCalls.push(counter.rows()));
  assertWorked(await agent.run("go", { history: { kind: "local", session } }));
  counter.close();
  session.close();
  // From one call to the next; the first holds the input as well.
  const perStep = atCalls.slice(1).map((rows, index) => rows - atCalls[index]);
  const [least, most] = [Math.min(...perStep), Math.max(...perStep)];
  console.log(
    `rows written per step, over ${count} steps with one call each\n  sqlite     ${least === most ? least : `${least} to ${most}: GROWS`}`,
  );
  if (least !== most) process.exitCode = 1;
}

try {
  await compare(`${steps} steps, one call each`, { steps, calls: 1 }, steps, "steps");
  await compare("one step of 100 calls", { steps: 1, calls: 100 }, 100, "calls");
  await growth(400);
} finally {
  server.kill();
  rmSync(folder, { recursive: true });
}
