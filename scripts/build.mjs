// pnpm build [package …]: everything, in the order in which the parts need each other.
//   --frozen   (or CI=true) generated modules are checked, not written
// core, cli and testing are declarations by tsc and bundles by esbuild; tool packages and examples are plain tsc output,
// after `toolwright build` has brought their generated modules up to date.
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { run } from "./lib/run.mjs";
import { inRoot, packageFolders } from "./lib/workspace.mjs";

const frozen = process.argv.includes("--frozen") || process.env.CI === "true";
const wanted = process.argv.slice(2).filter((parameter) => !parameter.startsWith("--"));
const isWanted = (folder) => wanted.length === 0 || wanted.some((name) => basename(folder).startsWith(name));

const folders = packageFolders().filter((folder) => existsSync(inRoot(folder, "tsconfig.json")) && existsSync(inRoot(folder, "src")));
const isTools = (folder) => basename(folder).startsWith("tools-");
const isExamples = (folder) => folder === "examples";

await libraries(folders.filter((folder) => !isTools(folder) && !isExamples(folder)).filter(isWanted));
await withGeneratedModule(folders.filter(isTools).filter(isWanted));
// What `toolwright init` writes is a project like any other.
if (isWanted("packages/cli")) await Promise.all(["app", "package"].map((name) => generate(`packages/cli/templates/${name}`)));
await withGeneratedModule(folders.filter(isExamples).filter(isWanted));

async function libraries(selected) {
  if (selected.length === 0) return;
  const { bundle } = await import("./bundle.mjs");
  const bundled = selected.filter((folder) =>
    readFileSync(inRoot(folder, "tsconfig.json"), "utf8").includes('"emitDeclarationOnly": true'),
  );
  await Promise.all([compile(selected), ...bundled.map((folder) => bundle(inRoot(folder)))]);
}

async function withGeneratedModule(selected) {
  if (selected.length === 0) return;
  await Promise.all(selected.map(generate));
  await compile(selected);
}

function generate(folder) {
  const command = [inRoot("packages/cli/bin/toolwright.js"), "build", "--project", inRoot(folder)];
  return orFail(run("node", frozen ? [...command, "--check"] : command));
}

async function compile(selected) {
  selected.forEach(removeOrphans);
  await orFail(run("node", [inRoot("node_modules/typescript/bin/tsc"), "-b", ...selected]));
}

/** tsc leaves the output of a source file that was removed or renamed; it would be published. */
function removeOrphans(folder) {
  const dist = inRoot(folder, "dist");
  if (!existsSync(dist)) return;
  for (const name of readdirSync(dist, { recursive: true })) {
    const source = /^(.*)\.d\.ts$/.exec(name)?.[1];
    if (source === undefined || existsSync(inRoot(folder, "src", `${source}.ts`))) continue;
    rmSync(join(dist, name));
    rmSync(join(dist, `${source}.js`), { force: true });
  }
}

async function orFail(result) {
  const { code } = await result;
  if (code !== 0) process.exit(code);
}
