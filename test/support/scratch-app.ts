import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** Files by path, relative to the folder. Objects are written as JSON. */
export type Files = Readonly<Record<string, string | object>>;

/** A folder that stands for an app and what is installed in it. Removed with everything in it at the end of the scope. */
export interface ScratchApp extends Disposable {
  readonly folder: string;
  /** `import.meta.url` of a file of the app, which need not exist. */
  url(file?: string): string;
  write(files: Files): void;
  /** Makes a link, relative to the folder, to another place in it, or to an absolute one. */
  link(path: string, target: string): void;
  /** Links packages of this workspace and of its dependencies into `node_modules` of a folder. */
  install(names: readonly string[], folder?: string): void;
  /** Runs Node on parameters, in the folder. */
  node(parameters: readonly string[], env?: NodeJS.ProcessEnv): Promise<Finished>;
}

/** What a program printed and how it ended. */
export interface Finished {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Makes a scratch app with an ES module package.json that declares these dependencies, and `@toolwright/core` installed. */
export function scratchApp(dependencies: readonly string[] = [], files: Files = {}): ScratchApp {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "toolwright app ")));
  const write = (more: Files): void => {
    for (const [path, content] of Object.entries(more)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), typeof content === "string" ? content : JSON.stringify(content, undefined, 2));
    }
  };
  const link = (path: string, target: string): void => {
    const place = join(folder, path);
    mkdirSync(dirname(place), { recursive: true });
    symlinkSync(target.startsWith("/") ? target : join(folder, target), place, "dir");
  };
  const app: ScratchApp = {
    folder,
    url: (file = "src/main.js") => pathToFileURL(join(folder, file)).href,
    write,
    link,
    install(names, at = "") {
      for (const name of names) {
        link(join(at, "node_modules", name), fileURLToPath(new URL(`../node_modules/${name}`, import.meta.url)));
      }
    },
    node: (parameters, env) => runProgram(process.execPath, parameters, { cwd: folder, env }),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
  write({
    "package.json": { name: "app", type: "module", dependencies: Object.fromEntries(dependencies.map((name) => [name, "*"])) },
    ...files,
  });
  app.install(["@toolwright/core"]);
  return app;
}

/** Runs a program to its end; never rejects. */
function runProgram(
  program: string,
  parameters: readonly string[],
  { cwd, env }: { readonly cwd?: string | undefined; readonly env?: NodeJS.ProcessEnv | undefined } = {},
): Promise<Finished> {
  const options = { cwd, env: env ?? { ...process.env, NO_COLOR: "1" }, maxBuffer: 64 << 20, timeout: 60_000 };
  return new Promise((resolve) => {
    execFile(program, parameters, options, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === "number" ? error.code : 1;
      resolve({ code, stdout, stderr: error === null || stderr !== "" ? stderr : error.message });
    });
  });
}
