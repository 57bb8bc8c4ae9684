// Law L13: imports point one way, type imports included, and there are no cycles.
// node scripts/checks/imports.mjs [folder with packages/…]
import { existsSync, readdirSync } from "node:fs";
import { join, posix, resolve } from "node:path";
import { root } from "../lib/workspace.mjs";
import { report } from "./files.mjs";
import { cyclesOf, importsOf } from "./import-graph.mjs";
import { packageProblem, rowProblem } from "./import-rules.mjs";

const coreSource = "packages/core/src/";

/** Problems, each as `file:line: sentence`. */
function checkImports(folder) {
  const problems = [];
  const imports = sourceFiles(folder).flatMap((file) => {
    try {
      return importsOf(folder, file);
    } catch (error) {
      problems.push(`${file}:1: it does not parse: ${error.message}`);
      return [];
    }
  });
  for (const edge of imports) {
    const problem = edgeProblem(folder, edge);
    if (problem !== undefined) problems.push(`${edge.file}:${edge.line}: ${problem}`);
  }
  for (const cycle of cyclesOf(imports)) {
    const [first] = cycle;
    const way = cycle.map((edge) => `${edge.file}:${edge.line}`).join(" → ");
    problems.push(`${first.file}:${first.line}: a cycle of imports: ${way} → ${first.file}`);
  }
  return problems;
}

function edgeProblem(folder, { file, specifier, target }) {
  if (target === undefined) return packageProblem(file, specifier);
  const home = packageOf(file);
  if (!target.startsWith(`${home}/`)) return `"${specifier}" leaves ${home}: import the package by its name`;
  const inCore = file.startsWith(coreSource) && target.startsWith(coreSource);
  const problem = inCore ? rowProblem(file.slice(coreSource.length), target.slice(coreSource.length)) : undefined;
  // bin/ imports what the build makes.
  const isThere = target.startsWith(`${home}/dist/`) || existsSync(join(folder, target));
  return problem ?? (isThere ? undefined : `"${specifier}" is no file`);
}

const packageOf = (file) => file.split("/", file.startsWith("packages/") ? 2 : 1).join("/");

const sourceFiles = (folder) =>
  ["packages", "examples", "test", "bench"]
    .flatMap((name) => (existsSync(join(folder, name)) ? filesIn(folder, name) : []))
    .filter((file) => /\.[cm]?[jt]s$/.test(file))
    .sort();

function filesIn(folder, name) {
  return readdirSync(join(folder, name), { withFileTypes: true }).flatMap((entry) => {
    if (["node_modules", "dist", "fixtures"].includes(entry.name) || entry.name.startsWith(".")) return [];
    const path = posix.join(name, entry.name);
    return entry.isDirectory() ? filesIn(folder, path) : [path];
  });
}

report(checkImports(resolve(process.argv[2] ?? root)));
