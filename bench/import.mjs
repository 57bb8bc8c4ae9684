// What importing costs: @toolwright/core beside `openai`, each in fresh processes, interleaved, above an empty process.
// Aim: core at most 0.15 × openai, which it does not load.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL(".", import.meta.url));
const rounds = Number(process.argv[2] ?? 15);
const cases = {
  empty: "",
  core: 'await import("@toolwright/core");',
  "core + middleware": 'await import("@toolwright/core"); await import("@toolwright/core/middleware");',
  openai: 'await import("openai");',
};

const run = (code) => {
  const script = `const start = process.hrtime.bigint(); ${code} console.log(Number(process.hrtime.bigint() - start) / 1e6);`;
  const child = spawnSync(process.execPath, ["--input-type=module", "--eval", script], { cwd: folder, encoding: "utf8" });
  if (child.status !== 0) throw new Error(child.stderr);
  return Number(child.stdout);
};
const median = (values) => values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)];

const times = Object.fromEntries(Object.keys(cases).map((name) => [name, []]));
for (let round = 0; round < rounds; round += 1) for (const [name, code] of Object.entries(cases)) times[name].push(run(code));

const cost = (name) => median(times[name]) - median(times.empty);
for (const name of Object.keys(cases)) {
  const sorted = times[name].toSorted((left, right) => left - right);
  console.log(`${name.padEnd(18)} ${cost(name).toFixed(1).padStart(7)} ms   (spread ${sorted[0].toFixed(1)}–${sorted.at(-1).toFixed(1)})`);
}

const loaded = `
  import { registerHooks } from "node:module";
  const seen = [];
  registerHooks({ load(url, context, next) { seen.push(url); return next(url, context); } });
  await import("@toolwright/core");
  console.log(JSON.stringify({ files: seen.filter((url) => url.startsWith("file:")).length, openai: seen.some((url) => url.includes("/openai/")) }));`;
const { stdout } = spawnSync(process.execPath, ["--input-type=module", "--eval", loaded], { cwd: folder, encoding: "utf8" });
const { files, openai } = JSON.parse(stdout);
const ratio = cost("core") / cost("openai");
console.log(`core loads ${files} files; openai is ${openai ? "" : "not "}among them`);
console.log(`core / openai: ${ratio.toFixed(3)} (aim: at most 0.15)`);
if (openai || ratio > 0.15) process.exitCode = 1;
