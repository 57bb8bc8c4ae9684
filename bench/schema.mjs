// What `toolwright build` costs on a generated project of 500 tools in 50 files with as many files of DTO classes, beside
// the same TypeScript creating that program and telling its semantic diagnostics, and beside ts-json-schema-generator on
// the same types. Each measurement is a process of its own; of several rounds the best counts, since others share the machine.
// Usage: node bench/schema.mjs [rounds]
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { generateProject } from "./schema/project.mjs";

const rounds = Number(process.argv[2] ?? 3);
const worker = fileURLToPath(new URL("schema/measure.mjs", import.meta.url));

const small = generateProject(500);
const large = generateProject(2000);
try {
  const base = await best("typescript", small);
  const full = await best("build", small);
  const more = await best("build", large);
  const check = await best("check", small);
  const edits = await best("edits", small);
  const peer = await best("ts-json-schema-generator", small, 1);
  const rows = [
    ["full build / program and semantic diagnostics", full.ms, base.ms, 1],
    ["full build, MB of memory", full.megabytes, undefined, 320],
    ["2,000 tools / 500 tools", more.ms, full.ms, 2.5],
    ["an edit under --watch / full build", edits.ms, full.ms, 0.05],
    ["unchanged --check / full build", check.ms, full.ms, 0.03],
  ];
  console.log(`${full.tools} and ${more.tools} tools, TypeScript ${base.version}, best of ${rounds}`);
  let missed = 0;
  for (const [name, value, reference, aim] of rows) {
    const ratio = reference === undefined ? value : value / reference;
    const shown = reference === undefined ? "" : `  (${value.toFixed(1)} ms / ${reference.toFixed(1)} ms)`;
    const isMet = ratio <= aim;
    if (!isMet) missed += 1;
    console.log(`${isMet ? "ok    " : "missed"}  ${name.padEnd(46)} ${ratio.toFixed(3).padStart(8)}  aim ${aim}${shown}`);
  }
  const startsTypeScript = check.typescript;
  if (startsTypeScript) missed += 1;
  console.log(`${startsTypeScript ? "missed" : "ok    "}  an unchanged --check does not start TypeScript`);
  console.log(
    `        ts-json-schema-generator, ${peer.types} named types: ${peer.ms.toFixed(0)} ms, ${(peer.ms / full.ms).toFixed(2)} × the full build`,
  );
  console.log(
    `        memory: build of 500 ${full.megabytes.toFixed(0)} MB, of 2,000 ${more.megabytes.toFixed(0)} MB, TypeScript alone ${base.megabytes.toFixed(0)} MB`,
  );
  process.exitCode = missed === 0 ? 0 : 1;
} finally {
  small.remove();
  large.remove();
}

async function best(what, { directory }, times = rounds) {
  const results = [];
  for (let round = 0; round < times; round += 1) results.push(await measure(what, directory));
  return results.toSorted((one, other) => one.ms - other.ms)[0];
}

function measure(what, directory) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [worker, what, directory], { stdio: ["ignore", "pipe", "inherit"] });
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (part) => (text += part));
    child.on("error", reject);
    child.on("close", (code) => (code === 0 ? resolve(JSON.parse(text)) : reject(new Error(`Measuring ${what} ended with ${code}.`))));
  });
}
