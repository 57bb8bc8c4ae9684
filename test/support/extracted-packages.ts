import { mkdir, readFile, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { mustRun, type Packed, packAll, root, scratchFolder } from "../packaging/packed.js";

/** A project with every public package extracted from its tarball into `node_modules`, and their dependencies linked. */
export interface ExtractedPackages extends AsyncDisposable {
  /** The project. */
  readonly folder: string;
  readonly names: readonly string[];
  readonly packed: ReadonlyMap<string, Packed>;
  /** Where a package is. */
  at(name: string): string;
}

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** Packs all packages, and puts what was packed where npm would. Nothing is installed from a registry. */
export async function extractPackages(): Promise<ExtractedPackages> {
  const scratch = await scratchFolder();
  const packed = await packAll(scratch.path);
  const folder = join(scratch.path, "app");
  const at = (name: string): string => join(folder, "node_modules", name);
  const needed = new Set<string>();
  for (const { name, filename } of packed.values()) {
    await mkdir(at(name), { recursive: true });
    await mustRun("tar", ["-xzf", filename, "-C", at(name), "--strip-components=1"]);
    const { dependencies, peerDependencies } = JSON.parse(await readFile(join(at(name), "package.json"), "utf8")) as Manifest;
    for (const dependency of Object.keys({ ...dependencies, ...peerDependencies })) if (!packed.has(dependency)) needed.add(dependency);
  }
  for (const name of needed) {
    await mkdir(dirname(at(name)), { recursive: true });
    await symlink(await folderOf(name), at(name), "dir");
  }
  return { folder, names: [...packed.keys()], packed, at, [Symbol.asyncDispose]: () => scratch[Symbol.asyncDispose]() };
}

/** A dependency as some package of this workspace has it. */
async function folderOf(name: string): Promise<string> {
  for (const folder of ["core", "cli", "testing", "tools-orders"]) {
    const [found] = createRequire(join(root, "packages", folder, "package.json")).resolve.paths(name) ?? [];
    const candidate = join(found ?? "", name);
    if (await readFile(join(candidate, "package.json"), "utf8").catch(() => undefined)) return candidate;
  }
  throw new Error(`No package of this workspace has ${name} installed.`);
}
