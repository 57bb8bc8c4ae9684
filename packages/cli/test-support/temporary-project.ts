import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** A project on disk for one test. Removed at the end of the scope: `using project = temporaryProject({ … })`. */
export interface TemporaryProject extends Disposable {
  readonly directory: string;
  /** Writes more files, by path relative to the project. */
  write(files: Readonly<Record<string, string>>): void;
}

/** What a project has unless the test gives its own. */
const defaults = {
  "package.json": JSON.stringify({ name: "app", type: "module" }),
  "tsconfig.json": JSON.stringify({
    compilerOptions: { target: "es2024", module: "nodenext", strict: true, experimentalDecorators: true, rootDir: "src" },
    include: ["src"],
  }),
};

/** Packages of this workspace and of its dependencies, as if they were installed in the project. */
const installed = ["@toolwright/core", "class-validator", "class-transformer"];

export function temporaryProject(files: Readonly<Record<string, string>>): TemporaryProject {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "toolwright-")));
  const write = (more: Readonly<Record<string, string>>): void => {
    for (const [path, text] of Object.entries(more)) {
      mkdirSync(dirname(join(directory, path)), { recursive: true });
      writeFileSync(join(directory, path), text);
    }
  };
  write({ ...defaults, ...files });
  for (const name of installed) {
    const link = join(directory, "node_modules", name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(fileURLToPath(new URL(`../node_modules/${name}`, import.meta.url)), link, "dir");
  }
  return { directory, write, [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }) };
}
