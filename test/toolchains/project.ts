import { cp, mkdtemp, readdir, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { mustRun } from "../packaging/packed.js";

const here = fileURLToPath(new URL(".", import.meta.url));

/** An app on disk whose generated module is written. Removed at the end of the scope. */
export interface App extends AsyncDisposable {
  readonly directory: string;
  /** Runs the program of a package, `name/path`, in the app. */
  program(path: string, ...parameters: readonly string[]): Promise<string>;
  /** Loads modules that have `answers` in one process, by `import` or by `require`, and gives back what they answer. */
  answers(way: "import" | "require", entries: readonly string[], flags?: readonly string[]): Promise<readonly Answers[]>;
}

/** What an app tells of its tools. */
export interface Answers {
  readonly definitions: readonly { readonly name: string }[];
  readonly sent: readonly unknown[];
  /** A line for each call. */
  readonly results: readonly string[];
}

/** Copies a fixture, and lets `toolwright build` write its generated module. */
export async function buildApp(fixture: "legacy" | "standard"): Promise<App> {
  const directory = await mkdtemp(join(tmpdir(), "toolwright toolchains "));
  for (const source of ["shared", fixture]) await cp(join(here, "fixtures", source), directory, { recursive: true });
  await symlink(join(here, "node_modules"), join(directory, "node_modules"), "dir");
  const node = (...parameters: readonly string[]): Promise<string> => mustRun(process.execPath, parameters, directory);
  const app: App = {
    directory,
    program: (path, ...parameters) => node(join("node_modules", path), ...parameters),
    answers: async (way, entries, flags = []) =>
      JSON.parse(await node(...flags, way === "import" ? "run.mjs" : "run.cjs", ...entries)) as Answers[],
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  };
  await app.program("@toolwright/cli/bin/toolwright.js", "build");
  return app;
}

/** Names of an app's own source files. */
export async function sourcesOf({ directory }: App): Promise<readonly string[]> {
  const names = await readdir(join(directory, "src"), { recursive: true });
  return names.filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"));
}
