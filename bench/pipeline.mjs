// What the pipeline costs. A call through pass-through layers beside koa-compose and plain functions, and what built-ins add to
// a run of 400 steps: fresh processes, interleaved, in batches. A batch's ratio is that of its medians, and the ratio that counts
// is the median of the batches.
// Usage: node bench/pipeline.mjs [--batches 3] [--repetitions 5] [layers | steps]
import { fork, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";

const here = (file) => fileURLToPath(new URL(file, import.meta.url));
const { values: options, positionals: wanted } = parseArgs({
  options: { batches: { type: "string", default: "3" }, repetitions: { type: "string", default: "5" } },
  allowPositionals: true,
});
const batches = Number(options.batches);
const repetitions = Number(options.repetitions);
const isWanted = (part) => wanted.length === 0 || wanted.includes(part);
const median = (values) => values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)];
let missed = 0;

function once(script, ...parameters) {
  const child = spawnSync(process.execPath, ["--expose-gc", here(`pipeline/${script}`), ...parameters.map(String)], { encoding: "utf8" });
  if (child.status !== 0) throw new Error(`${script} ${parameters.join(" ")}: ${child.stderr}`);
  const [figure] = Object.values(JSON.parse(child.stdout));
  return figure;
}

/** Medians of each variant, batch by batch. */
function measure(variants, one) {
  return Array.from({ length: batches }, () => {
    const runs = Object.fromEntries(variants.map((variant) => [variant, []]));
    for (let repetition = 0; repetition < repetitions; repetition += 1) for (const variant of variants) runs[variant].push(one(variant));
    return Object.fromEntries(variants.map((variant) => [variant, median(runs[variant])]));
  });
}

function line(variant, all, base, unit, aim) {
  const ratios = all.map((batch) => batch[variant] / batch[base]);
  const ratio = median(ratios);
  const over = aim !== undefined && ratio > aim;
  if (over) missed += 1;
  const spread = ratios.map((value) => value.toFixed(2)).join(" ");
  const figure = median(all.map((batch) => batch[variant]));
  console.log(
    `  ${variant.padEnd(13)} ${figure.toFixed(unit === "ns" ? 0 : 1).padStart(7)} ${unit} CPU  ${ratio.toFixed(2)} × ${base} (batches ${spread})${aim === undefined ? "" : `  aim ≤ ${aim}${over ? "  MISSED" : ""}`}`,
  );
}

const onions = [
  [0, "returns", ""],
  [5, "returns", " that return next(call)"],
  [15, "returns", " that return next(call)"],
  [5, "async", " that are async functions"],
  [15, "async", " that are async functions"],
];

async function layers() {
  const folder = mkdtempSync(join(tmpdir(), "toolwright-bench-"));
  try {
    // The very function that runs are composed by, with all its checks.
    const outfile = join(folder, "compose.mjs");
    await build({
      entryPoints: [here("../packages/core/src/pipeline/compose.ts")],
      bundle: true,
      format: "esm",
      platform: "node",
      outfile,
    });
    for (const [count, form, what] of onions) {
      console.log(`a call through ${count} layers${what}`);
      const variants = ["koa-compose", "ours", "plain"];
      const all = measure(variants, (variant) => once("layers.mjs", variant, count, form, pathToFileURL(outfile).href));
      for (const variant of variants) line(variant, all, "koa-compose", "ns", variant === "ours" ? 2.2 : undefined);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function steps() {
  const server = fork(here("loop/server.mjs"));
  try {
    const port = await new Promise((resolve) => server.once("message", resolve));
    console.log("a run of 400 steps");
    const variants = ["nothing", "standard()", "logging()", "stepBudget()", "all three"];
    const all = measure(variants, (variant) => once("steps.mjs", variant, port));
    for (const variant of variants) line(variant, all, "nothing", "ms", variant.endsWith("()") ? 1.1 : undefined);
  } finally {
    server.kill();
  }
}

if (isWanted("layers")) await layers();
if (isWanted("steps")) await steps();
if (missed > 0) {
  console.log(`${missed} aims missed`);
  process.exitCode = 1;
}
