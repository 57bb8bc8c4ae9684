// The run loop beside a careful hand-written loop on the official client ("floor") and the same on node:http without any
// client ("raw-http"): one loopback server, fresh processes, interleaved. Ratios are CPU ÷ floor, medians; the spread is
// that of single repetitions. Usage: node bench/loop.mjs [repetitions] [scenario…]
import { fork, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const here = (file) => fileURLToPath(new URL(`loop/${file}`, import.meta.url));
const repetitions = Number(process.argv[2] ?? 5);
const wanted = process.argv.slice(3);
// Where there is something to win. In the other scenarios nearly all of the work is the client's own, and the ratio is printed.
const aims = { "400 steps, local": 0.9, "20,000 deltas": 0.4 };
const others = ["400 steps, chained", "100 parallel calls", "400 parallel calls", "200 runs of 5 steps", "200 tools, 20 steps"];
const scenarios = [...Object.keys(aims), ...others, "200 steps, local"].filter((name) => wanted.length === 0 || wanted.includes(name));
const variants = ["floor", "raw-http", "ours"];

const server = fork(here("server.mjs"));
const port = await new Promise((resolve) => server.once("message", resolve));
const median = (values) => values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)];

function once(variant, scenario) {
  const child = spawnSync(process.execPath, [here("client.mjs"), variant, scenario, String(port)], { encoding: "utf8" });
  if (child.status !== 0) throw new Error(`${variant}, ${scenario}: ${child.stderr}`);
  return JSON.parse(child.stdout);
}

const figures = {};
let missed = 0;
try {
  for (const scenario of scenarios) {
    const runs = Object.fromEntries(variants.map((variant) => [variant, []]));
    for (let repetition = 0; repetition < repetitions; repetition += 1)
      for (const variant of variants) runs[variant].push(once(variant, scenario));
    console.log(scenario);
    const floor = median(runs.floor.map(({ cpuMs }) => cpuMs));
    for (const variant of variants) {
      const cpu = runs[variant].map(({ cpuMs }) => cpuMs);
      const ratios = cpu.map((value) => value / floor);
      const ratio = median(cpu) / floor;
      figures[`${variant} ${scenario}`] = median(cpu);
      const aim = variant === "ours" ? aims[scenario] : undefined;
      if (aim !== undefined && ratio > aim) missed += 1;
      console.log(
        `  ${variant.padEnd(9)} ${median(cpu).toFixed(0).padStart(6)} ms CPU  ${ratio.toFixed(2)} × floor (${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)})` +
          `  wall ${median(runs[variant].map(({ wallMs }) => wallMs)).toFixed(0)} ms  peak ${median(runs[variant].map(({ rssMb }) => rssMb)).toFixed(0)} MB${aim === undefined ? "" : `  aim ≤ ${aim}${ratio > aim ? "  MISSED" : ""}`}`,
      );
    }
  }
} finally {
  server.kill();
}

// CPU of 400 steps beyond twice that of 200: what a step costs more for each step before it.
const growth = (variant) => ((figures[`${variant} 400 steps, local`] - 2 * figures[`${variant} 200 steps, local`]) * 1000) / (400 * 200);
if (figures["ours 200 steps, local"] !== undefined && figures["ours 400 steps, local"] !== undefined) {
  console.log("growth, µs per step and earlier step");
  for (const variant of variants) console.log(`  ${variant.padEnd(9)} ${growth(variant).toFixed(2)}`);
}
if (missed > 0) {
  console.log(`${missed} aims missed`);
  process.exitCode = 1;
}
