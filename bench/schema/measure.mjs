// One measurement in a process of its own: node measure.mjs <what> <project>. Prints one line of JSON.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const [what, directory] = process.argv.slice(2);
const requireInCli = createRequire(new URL("../../packages/cli/package.json", import.meta.url));
const cli = new URL("../../packages/cli/dist/index.js", import.meta.url).href;
const measurements = { typescript, build, check, edits, "ts-json-schema-generator": peer };

const measured = await measurements[what]();
console.log(JSON.stringify({ ...measured, megabytes: process.resourceUsage().maxRSS / 1024 }));

/** What any compiler of this project would have to do at least once. */
function typescript() {
  const { ts } = requireInCli("typescript-json-schema");
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => {} };
  const start = performance.now();
  const { fileNames, options } = ts.getParsedCommandLineOfConfigFile(join(directory, "tsconfig.json"), {}, host);
  const problems = ts.createProgram(fileNames, options).getSemanticDiagnostics();
  const ms = performance.now() - start;
  if (problems.length > 0) throw new Error(ts.flattenDiagnosticMessageText(problems[0].messageText, " "));
  return { ms, version: ts.version };
}

async function build() {
  // Loading TypeScript is no part of either side.
  requireInCli("typescript-json-schema");
  const { buildProject } = await import(cli);
  forget();
  const start = performance.now();
  const result = await buildProject({ cwd: directory });
  return { ms: performance.now() - start, tools: built(result) };
}

/** After a build, so that nothing has changed. */
async function check() {
  const { buildProject } = await import(cli);
  const start = performance.now();
  const result = await buildProject({ cwd: directory, check: true });
  const ms = performance.now() - start;
  built(result);
  const { cache } = createRequire(import.meta.url);
  return { ms, typescript: Object.keys(cache).some((path) => /[\\/]typescript[\\/]lib[\\/]/.test(path)) };
}

/** The median of edits, by turns of a DTO's type and of a tool's body, each until the module is written. */
async function edits() {
  const { BuildSession } = await import(cli);
  const session = new BuildSession({ cwd: directory, cache: false });
  built(await session.build());
  const times = [];
  for (let turn = 0; turn < 16; turn += 1) {
    const path = join(directory, turn % 2 === 0 ? "src/dto/dto7.ts" : "src/tools9.ts");
    const before = readFileSync(path, "utf8");
    const after =
      turn % 2 === 0
        ? before.replace("sku!: string;", `sku!: string;\n  extra${turn}?: number;`)
        : before.replace("return customer", `return "${turn}" + customer`);
    writeFileSync(path, after);
    const start = performance.now();
    const result = await session.build();
    times.push(performance.now() - start);
    built(result);
    const isWritten = result.files[0].state === "written";
    if (isWritten !== (turn % 2 === 0)) throw new Error("An edit of a type must change the module, one of a body must not.");
    writeFileSync(path, before);
    await session.build();
  }
  return { ms: times.toSorted((one, other) => one - other)[times.length >> 1] };
}

/** The named types of the DTO files, one after the other. */
async function peer() {
  const { createGenerator } = await import("ts-json-schema-generator");
  const names = ["Address", "Line", "Order", "Card", "Transfer", "Filter"];
  const start = performance.now();
  const generator = createGenerator({
    path: join(directory, "src/dto/*.ts"),
    tsconfig: join(directory, "tsconfig.json"),
    skipTypeCheck: true,
  });
  let types = 0;
  for (let file = 0; file < 50; file += 1) {
    for (const name of names) {
      generator.createSchema(`${name}${file}`);
      types += 1;
    }
  }
  return { ms: performance.now() - start, types };
}

/** A full build: neither remembered nor compared with what is there. */
function forget() {
  rmSync(join(directory, "node_modules/.cache"), { recursive: true, force: true });
  rmSync(join(directory, "src/toolwright.generated.ts"), { force: true });
}

function built({ ok, tools, problems }) {
  if (!ok) throw new Error(JSON.stringify(problems[0]));
  return tools.length;
}
