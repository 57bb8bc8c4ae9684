import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { ToolwrightError } from "@toolwright/core";

/** What would be published. */
export interface PackedPackage {
  readonly tarball: Uint8Array;
  readonly files: readonly { readonly path: string; readonly size: number }[];
  /** Bytes of the tarball. */
  readonly size: number;
  /** Bytes of its files. */
  readonly unpackedSize: number;
}

type Listed = Omit<PackedPackage, "tarball"> & { readonly filename: string };

/**
 * Packs a package as npm would publish it, without running its scripts. Nothing is left behind.
 *
 * @throws ToolwrightError `BUILD_CONFIG` with npm's own words when it refuses.
 */
export async function pack(folder: string): Promise<PackedPackage> {
  const destination = await mkdtemp(join(tmpdir(), "toolwright-doctor-"));
  try {
    const output = await npm(["pack", "--json", "--ignore-scripts", "--pack-destination", destination], folder);
    // A list, or from npm 12 on an object by name.
    const [listed] = Object.values(JSON.parse(output) as Record<string, Listed>);
    if (listed === undefined) throw new Error(output);
    const { files, size, unpackedSize } = listed;
    // For scoped names older versions of npm say "@scope/name.tgz", and write "scope-name.tgz".
    const file = listed.filename.replace(/^@/, "").replace("/", "-");
    return { files, size, unpackedSize, tarball: await readFile(join(destination, basename(file))) };
  } catch (cause) {
    const { stderr = "", message } = cause as { stderr?: string; message: string };
    const said = stderr.match(/^npm (?:error|ERR!) (?!code |A complete log)(.*)$/m)?.[1] ?? message.split("\n")[0];
    throw new ToolwrightError("BUILD_CONFIG", `npm cannot pack the package: ${said}`, { cause, fix: "Correct what npm names." });
  } finally {
    await rm(destination, { recursive: true, force: true });
  }
}

// An npm that started this command hands down what it was told itself: `npm publish --dry-run` would make ours dry too.
const ofTheOuterCommand =
  /^npm_(command|lifecycle_.*|package_.*|config_(dry_run|json|pack_destination|workspaces?|include_workspace_root|tag|access|otp))$/i;

async function npm(parameters: readonly string[], cwd: string): Promise<string> {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !ofTheOuterCommand.test(name)));
  const options = { cwd, env: { ...env, npm_config_loglevel: "error" }, maxBuffer: 64 << 20, windowsHide: true };
  // On Windows npm is a script of the shell.
  const shell = process.platform === "win32";
  const quoted = shell ? parameters.map((parameter) => (/\s/.test(parameter) ? `"${parameter}"` : parameter)) : parameters;
  return (await promisify(execFile)("npm", quoted, { ...options, shell })).stdout;
}
