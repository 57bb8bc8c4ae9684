import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../../", import.meta.url));

/** What a program printed and how it ended. Never rejects: a failure is shown by the assertion on `code`. */
export interface Finished {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program with this workspace's commands first in PATH. */
export function run(command: string, parameters: readonly string[], cwd = root, extra: NodeJS.ProcessEnv = {}): Promise<Finished> {
  const PATH = `${join(root, "node_modules/.bin")}${delimiter}${process.env.PATH}`;
  const env = { ...process.env, PATH, NO_COLOR: "1", pnpm_config_pm_on_fail: "ignore", ...extra };
  const options = { cwd, env, maxBuffer: 64 << 20 };
  return new Promise((resolve) => {
    execFile(command, parameters, options, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === "number" ? error.code : 1;
      resolve({ code, stdout, stderr: error === null || stderr !== "" ? stderr : error.message });
    });
  });
}

/** Like {@link run}, for a step that a test stands on: rejects with the output if it fails. */
export async function mustRun(command: string, parameters: readonly string[], cwd = root): Promise<string> {
  const { code, stdout, stderr } = await run(command, parameters, cwd);
  if (code !== 0) throw new Error(`${command} ${parameters.join(" ")} ended with ${code}:\n${stdout}${stderr}`);
  return stdout;
}

export interface Packed {
  readonly name: string;
  readonly version: string;
  /** Of the tarball, absolute. */
  readonly filename: string;
  /** Paths in the tarball, without its leading folder. */
  readonly files: readonly { readonly path: string }[];
}

/** A folder that is removed with everything in it when the scope ends. */
export async function scratchFolder() {
  const path = await mkdtemp(join(tmpdir(), "toolwright packed "));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** Packs every public package the way it is published. */
export async function packAll(folder: string): Promise<ReadonlyMap<string, Packed>> {
  const { packageManager } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as { packageManager: string };
  const packing = ["--recursive", "--filter", "./packages/*", "pack", "--pack-destination", folder, "--json"];
  const packed = JSON.parse(await mustRun("npx", ["--yes", packageManager, ...packing])) as readonly Packed[];
  return new Map(packed.map((entry) => [entry.name, entry]));
}

/** The path of a package's tarball. */
export function tarballOf(packed: ReadonlyMap<string, Packed>, name: string): string {
  const found = packed.get(name);
  if (found === undefined) throw new Error(`${name} was not packed`);
  return found.filename;
}

/** A new project with nothing in it but what npm installs. */
export async function installProject(parent: string, name: string, packages: readonly string[]): Promise<string> {
  const folder = join(parent, name);
  await mkdir(folder);
  await writeFile(join(folder, "package.json"), JSON.stringify({ name: "app", private: true, type: "module" }));
  const install = ["install", "--no-audit", "--no-fund", "--loglevel=error", "--prefer-offline", ...packages];
  await mustRun("npm", install, folder);
  return folder;
}
