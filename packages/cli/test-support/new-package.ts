import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { buildProject } from "../src/build-project.js";
import { templateFiles } from "../src/scaffold/template-files.js";
import { writeProject } from "../src/scaffold/write-project.js";

const inRoot = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

/** What npm would install in a new project, from this workspace. */
const installed = {
  "@toolwright/core": "packages/core",
  "@toolwright/testing": "packages/testing",
  "class-validator": "packages/cli/node_modules/class-validator",
  "class-transformer": "packages/cli/node_modules/class-transformer",
  openai: "packages/cli/node_modules/openai",
  typescript: "node_modules/typescript",
  "@types/node": "node_modules/@types/node",
};

export function installInto(folder: string): void {
  for (const [name, place] of Object.entries(installed)) {
    mkdirSync(dirname(join(folder, "node_modules", name)), { recursive: true });
    symlinkSync(realpathSync(inRoot(place)), join(folder, "node_modules", name), "dir");
  }
}

/** Compiles a project by the TypeScript of this workspace. */
export const compile = (folder: string) =>
  promisify(execFile)(process.execPath, [inRoot("node_modules/typescript/bin/tsc")], { cwd: folder });

/** A folder for a test. */
export const temporaryFolder = (): string => realpathSync(mkdtempSync(join(tmpdir(), "toolwright package ")));

/** A new tool package as `toolwright init` makes it, built and compiled, for a test to spoil. */
export interface NewPackage extends Disposable {
  readonly folder: string;
  read(path: string): string;
  /** Writes a file, or changes it. */
  write(path: string, text: string | ((before: string) => string)): void;
  /** Changes the package.json. */
  packageJson(change: (before: Record<string, unknown>) => object): void;
  remove(path: string): void;
}

let made: Promise<string> | undefined;

/** The package is made once for a test file, and copied for each test. */
export async function newPackage(): Promise<NewPackage> {
  made ??= make();
  const folder = temporaryFolder();
  cpSync(await made, folder, { recursive: true, verbatimSymlinks: true });
  const read = (path: string): string => readFileSync(join(folder, path), "utf8");
  const write: NewPackage["write"] = (path, text) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), typeof text === "string" ? text : text(read(path)));
  };
  return {
    folder,
    read,
    write,
    packageJson: (change) =>
      write("package.json", (text) => `${JSON.stringify(change(JSON.parse(text) as Record<string, unknown>), undefined, 2)}\n`),
    remove: (path) => rmSync(join(folder, path), { recursive: true }),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

async function make(): Promise<string> {
  const folder = temporaryFolder();
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  writeProject(folder, templateFiles("package", "@acme/tools-stock"));
  installInto(folder);
  await buildProject({ cwd: folder });
  await compile(folder);
  return folder;
}
