// What discovery costs with 100 packages of 2 000 tools installed and allowed, each measurement in a process of its own,
// interleaved. Aims: `discover` and `list()` take at most 3 × reading and parsing the manifest files; no package is imported
// before its first call; memory before the first call grows with the manifests, and not with the packages' code.
// Ends with 1 when an aim is missed.
import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { makeApp } from "./discovery/make-app.mjs";

const rounds = Number(process.argv[2] ?? 9);
const script = fileURLToPath(new URL("discovery/measure.mjs", import.meta.url));
const measure = (what, app) => JSON.parse(execFileSync(process.execPath, ["--expose-gc", script, what, app.folder], { encoding: "utf8" }));

const apps = {
  whole: makeApp(100, 20, 20_000),
  half: makeApp(50, 20, 20_000),
  bulky: makeApp(100, 20, 400_000),
  locked: makeApp(100, 20, 0),
};
let missed = 0;
try {
  times();
  imports();
  memory();
} finally {
  for (const { folder } of Object.values(apps)) rmSync(folder, { recursive: true, force: true });
}
process.exitCode = missed > 0 ? 1 : 0;

function times() {
  const seen = { read: [], list: [], listOne: [], listLocked: [] };
  for (let round = 0; round < rounds; round += 1)
    for (const what of Object.keys(seen)) seen[what].push(measure(what, what === "listLocked" ? apps.locked : apps.whole));
  for (const when of ["first", "later"]) {
    const of = (what) => seen[what].map((each) => each[when]);
    console.log(`${when === "first" ? "first in a process" : "later"}: reading and parsing ${shown(of("read"))} ms CPU`);
    ratio(`  list, all 100 allowed: ${shown(of("list"))} ms`, of("list"), of("read"), 3);
    ratio(`  list, one allowed:     ${shown(of("listOne"))} ms`, of("listOne"), of("read"), 3);
    // It reads every manifest twice.
    ratio(`  list, all, with a lock: ${shown(of("listLocked"))} ms`, of("listLocked"), of("read"), 6);
  }
}

function imports() {
  const { tools, imported, outcome, after } = measure("imports", apps.whole);
  check(
    `imported before the first call: ${imported.length} of 100 packages, ${tools} tools offered`,
    imported.length === 0 && tools === 2_000,
  );
  check(
    `imported by the first call: ${after.join(", ")} (${outcome})`,
    after.length === 1 && after[0] === "@acme/tools-p3" && outcome === "ok",
  );
}

function memory() {
  const of = (what, app) => Array.from({ length: 3 }, () => measure(what, app).bytes);
  const parsed = of("heapRead", apps.whole);
  console.log(`parsed manifests: ${inMegabytes(parsed)} MB`);
  for (const [what, name] of [
    ["heapList", "registry"],
    ["heapAgent", "agent with it"],
  ]) {
    const whole = of(what, apps.whole);
    ratio(`  ${name}: ${inMegabytes(whole)} MB`, whole, parsed, 2);
    ratio(`  ${name}, beside half of the packages`, whole, of(what, apps.half), 2.3);
    ratio(`  ${name}, with 20 × the code beside the same`, of(what, apps.bulky), whole, 1.1);
  }
}

/** A ratio of medians with the spread that the single measurements allow. */
function ratio(title, values, base, aim) {
  const middle = median(values) / median(base);
  const [low, high] = [Math.min(...values) / median(base), Math.max(...values) / median(base)];
  check(`${title}: ${middle.toFixed(2)} × (${low.toFixed(2)}–${high.toFixed(2)}), aim at most ${aim}`, middle <= aim);
}

function check(text, isMet) {
  if (!isMet) missed += 1;
  console.log(isMet ? text : `${text}  MISSED`);
}

function median(values) {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)];
}

function shown(values) {
  return `${median(values).toFixed(1)} (${Math.min(...values).toFixed(1)}–${Math.max(...values).toFixed(1)})`;
}

function inMegabytes(values) {
  return (median(values) / 2 ** 20).toFixed(2);
}
