import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { ToolwrightError } from "@toolwright/core";

/** A module that was imported. */
export interface LoadedModule {
  readonly exports: Readonly<Record<string, unknown>>;
  /** What was imported in its place: the compiled file of a source file. */
  readonly compiled: string | undefined;
}

/**
 * Imports a module of the project. TypeScript is run by the project's own tsx; without it, the file that the project's
 * compiler made of it is taken; without that, Node runs it, as far as Node can.
 *
 * @param path - absolute.
 * @throws ToolwrightError `BUILD_CONFIG` when it cannot be imported.
 */
export async function loadModule(path: string): Promise<LoadedModule> {
  if (!/\.[cm]?tsx?$/.test(path)) return { exports: await imported(path), compiled: undefined };
  if (await startTsx(path)) return { exports: await imported(path), compiled: undefined };
  const compiled = await compiledOf(path);
  if (typeof compiled === "string") return { exports: await imported(compiled), compiled };
  const needs = `Install tsx in the project (\`npm install --save-dev tsx\`), or compile and name the compiled module. ${compiled.problem}`;
  if (process.features.typescript === false) throw wrong(`${path} is TypeScript, which this Node does not run by itself.`, needs);
  return {
    exports: await imported(
      path,
      `Node runs TypeScript without decorators, enums and imports of \`.js\` files that are \`.ts\` files. ${needs}`,
    ),
    compiled: undefined,
  };
}

/** Lets the project's own tsx run TypeScript from now on, if it has one. */
async function startTsx(path: string): Promise<boolean> {
  let api: string;
  try {
    api = createRequire(path).resolve("tsx/esm/api");
  } catch {
    return false;
  }
  // What tsx gives under this name, of every version that has it.
  const loaded = (await import(pathToFileURL(api).href)) as { readonly register: (options: { readonly tsconfig?: string }) => unknown };
  const tsconfig = tsconfigOf(path);
  loaded.register(tsconfig === undefined ? {} : { tsconfig });
  return true;
}

function tsconfigOf(path: string): string | undefined {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const tsconfig = join(folder, "tsconfig.json");
    if (existsSync(tsconfig)) return tsconfig;
    if (folder === dirname(folder)) return undefined;
  }
}

async function compiledOf(path: string): Promise<string | { readonly problem: string }> {
  const tsconfig = tsconfigOf(path);
  if (tsconfig === undefined) return { problem: "There is no tsconfig.json." };
  // Loads a compiler, which takes its time.
  const { compiledFile } = await import("../audit/compiled-file.js");
  const source = relative(dirname(tsconfig), path).split(sep).join("/");
  try {
    return compiledFile(tsconfig.split(sep).join("/"), source);
  } catch (cause) {
    if (!ToolwrightError.is(cause, "BUILD_CONFIG")) throw cause;
    return { problem: `(There is no compiled file of ${source}, or it is older.)` };
  }
}

async function imported(path: string, fix?: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return (await import(pathToFileURL(path).href)) as Readonly<Record<string, unknown>>;
  } catch (cause) {
    throw new ToolwrightError("BUILD_CONFIG", `${path} cannot be imported: ${reasonOf(cause)}`, {
      cause,
      ...(fix !== undefined && { fix }),
    });
  }
}

/** What was thrown, and where in the project. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const place = cause.stack?.split("\n").find((line) => /^\s+at .*file:\/\//.test(line) && !line.includes("/node_modules/"));
  return place === undefined ? cause.message : `${cause.message}\n  ${place.trim()}`;
}

const wrong = (message: string, fix: string): ToolwrightError => new ToolwrightError("BUILD_CONFIG", message, { fix });
