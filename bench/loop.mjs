// The run loop beside a careful hand-written loop on the official client ("floor") and the same on node:http without any
// client ("raw-http"): one loopback server, fresh processes, interleaved, in batches. Ratios are CPU ÷ floor; a batch's is
// that of its medians, and the ratio that counts is the median of the batches.
// Usage: node bench/loop.mjs [--batches 3] [--repetitions 5] [scenario…]
import { fork, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const here = (file) => fileURLToPath(new URL(`loop/${file}`, import.meta.url));
const { values: options, positionals: wanted } = parseArgs({
  options: { batches: { type: "string", default: "3" }, repetitions: { type: "string", default: "5" } },
  allowPositionals: true,
});
const batches = Number(options.batches);
const repetitions = Number(options.repetitions);
// Where there is something to win. In the other scenarios nearly all of the work is the client's own, and the ratio is printed.
const aims = { "400 steps, local": 0.9, "20,000 deltas": 0.4 };
const others = ["400 steps, chained", "100 parallel calls", "400 parallel calls", "200 runs of 5 steps", "200 tools, 20 steps"];
const scenarios = [...Object.keys(aims), "200 steps, local", ...others].filter((name) => wanted.length === 0 || wanted.includes(name));
const variants = ["floor", "raw-http", "ours"];

const server = fork(here("server.mjs"));
const port = await new Promise((resolve) => server.once("message", resolve));
const median = (values) => values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)];

function once(variant, scenario) {
  const child = spawnSync(process.execPath, ["--expose-gc", here("client.mjs"), variant, scenario, String(port)], { encoding: "utf8" });
  if (child.status !== 0) throw new Error(`${variant}, ${scenario}: ${child.stderr}`);
  return JSON.parse(child.stdout);
}

/** Runs of each variant, of one batch. */
function batchOf(scenario) {
  const runs = Object.fromEntries(variants.map((variant) => [variant, []]));
  for (let repetition = 0; repetition < repetitions; repetition += 1)
    for (const variant of variants) runs[variant].push(once(variant, scenario));
  return runs;
}

const cpuOf = (runs) => median(runs.map(({ cpuMs }) => cpuMs));
/** CPU of each batch, by scenario and variant. */
const figures = {};
let missed = 0;

function report(scenario, all) {
  console.log(scenario);
  for (const variant of variants) {
    const runs = all.flatMap((batch) => batch[variant]);
    const ratios = all.map((batch) => cpuOf(batch[variant]) / cpuOf(batch.floor));
    const ratio = median(ratios);
    figures[`${variant} ${scenario}`] = all.map((batch) => cpuOf(batch[variant]));
    const aim = variant === "ours" ? aims[scenario] : undefined;
    if (aim !== undefined && ratio > aim) missed += 1;
    const spread = ratios.map((value) => value.toFixed(2)).join(" ");
    console.log(
      `  ${variant.padEnd(9)} ${cpuOf(runs).toFixed(0).padStart(6)} ms CPU  ${ratio.toFixed(2)} × floor (batches ${spread})` +
        `  wall ${median(runs.map(({ wallMs }) => wallMs)).toFixed(0)} ms  peak ${median(runs.map(({ rssMb }) => rssMb)).toFixed(0)} MB${aim === undefined ? "" : `  aim ≤ ${aim}${ratio > aim ? "  MISSED" : ""}`}`,
    );
  }
}

try {
  for (const scenario of scenarios)
    report(
      scenario,
      Array.from({ length: batches }, () => batchOf(scenario)),
    );
} finally {
  server.kill();
}

// CPU of 400 steps beyond twice that of 200: what a step costs more for each step before it.
const growth = (variant) =>
  figures[`${variant} 400 steps, local`].map(
    (cpu, batch) => ((cpu - 2 * figures[`${variant} 200 steps, local`][batch]) * 1000) / (400 * 200),
  );
if (figures["ours 200 steps, local"] !== undefined && figures["ours 400 steps, local"] !== undefined) {
  console.log("growth, µs per step and earlier step");
  const floor = median(growth("floor"));
  for (const variant of variants) {
    const own = growth(variant);
    const over = variant === "ours" && median(own) > floor;
    if (over) missed += 1;
    console.log(
      `  ${variant.padEnd(9)} ${median(own).toFixed(2)} (batches ${own.map((value) => value.toFixed(2)).join(" ")})${variant === "ours" ? `  aim ≤ floor${over ? "  MISSED" : ""}` : ""}`,
    );
  }
}
if (missed > 0) {
  console.log(`${missed} aims missed`);
  process.exitCode = 1;
}
