// Where things are, and the environment that every child process gets.
// This folder must run on Node 20 without any dependency: npm starts it before anything is installed.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../../", import.meta.url));
export const inRoot = (...parts) => join(root, ...parts);
export const cacheFolder = inRoot("node_modules", ".cache", "toolwright");

/** The pinned package manager, as `npx` takes it: `pnpm@12.x.y`. */
export const packageManager = JSON.parse(readFileSync(inRoot("package.json"), "utf8")).packageManager;

/** Folders of the workspace's packages, relative to the root, as pnpm-workspace.yaml lists them: `folder` or `folder/*`. */
export function packageFolders() {
  const [, list] = /^packages:\n((?: {2}- .*\n)+)/m.exec(readFileSync(inRoot("pnpm-workspace.yaml"), "utf8"));
  const patterns = [...list.matchAll(/- ["']?([\w./*-]+)/g)].map((match) => match[1]);
  return patterns
    .flatMap((pattern) => {
      if (!pattern.endsWith("/*")) return [pattern];
      const folder = pattern.slice(0, -"/*".length);
      return readdirSync(inRoot(folder)).map((name) => `${folder}/${name}`);
    })
    .filter((folder) => existsSync(inRoot(folder, "package.json")));
}

// What an outer npm hands down about itself. A nested client would take it for its own flags:
// `npm --prefix x test` would make npx install into x, NODE_ENV=production would leave the compiler out.
const ofTheOuterCommand =
  /^(npm_(command|lifecycle_.*|package_.*|execpath|node_execpath)|npm_config_(prefix|local_prefix|global_prefix|global|workspaces?|include_workspace_root|omit|include|production|only|dry_run|ignore_scripts|package_lock_only|call|package)|NODE_ENV)$/i;

/** The caller's environment with this workspace's commands, Node 24 among them, first in PATH. */
export function childEnvironment(extra = {}) {
  const inherited = Object.entries(process.env).filter(([name]) => !ofTheOuterCommand.test(name));
  return {
    ...Object.fromEntries(inherited),
    PATH: inRoot("node_modules", ".bin") + delimiter + process.env.PATH,
    // The version is pinned by what we start. Otherwise pnpm asks the registry about itself at each command.
    pnpm_config_pm_on_fail: "ignore",
    ...extra,
  };
}
