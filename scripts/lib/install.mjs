import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { quietly, run } from "./run.mjs";
import { cacheFolder, inRoot, packageFolders, packageManager } from "./workspace.mjs";

const stampFile = join(cacheFolder, "installed");

/** Changes whenever what is to be installed does. */
function fingerprint() {
  const hash = createHash("sha256").update(packageManager);
  for (const file of ["pnpm-lock.yaml", "pnpm-workspace.yaml"]) hash.update(readFileSync(inRoot(file)));
  return hash.digest("hex");
}

function isInstalled() {
  if (!existsSync(stampFile) || readFileSync(stampFile, "utf8") !== fingerprint()) return false;
  const linked = packageFolders().filter((folder) => {
    const { dependencies, devDependencies } = JSON.parse(readFileSync(inRoot(folder, "package.json"), "utf8"));
    return Object.keys({ ...dependencies, ...devDependencies }).length > 0;
  });
  return ["", ...linked].every((folder) => existsSync(inRoot(folder, "node_modules"))) && existsSync(inRoot("node_modules/.bin/node"));
}

/** Installs what pnpm-lock.yaml says, unless that is what is there. Ends the process if it cannot. */
export async function ensureInstalled() {
  if (isInstalled()) return;
  await quietly("Installing dependencies", async () => {
    const result = await run("npx", ["--yes", packageManager, "install", "--frozen-lockfile", "--prod=false"], {
      quiet: true,
      env: { CI: "true" },
    });
    if (result.code !== 0 || existsSync(inRoot("node_modules/.bin/node"))) return result;
    return { code: 1, output: `${result.output}\nThe package "node" brought no program: are install scripts switched off?` };
  });
  mkdirSync(cacheFolder, { recursive: true });
  writeFileSync(stampFile, fingerprint());
}
