import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Middleware } from "@toolwright/core";
import { build } from "esbuild";

/** One place in a built-in's source, and what is put there. */
export interface Change {
  /** In `packages/core/src/middleware`. */
  readonly file: string;
  /** Stands in the file exactly once. */
  readonly find: string | RegExp;
  /** In the place of an expression, `$1` and so on stand for its groups. */
  readonly put: string;
  /** Declarations that it needs, for the end of the file. */
  readonly head?: string | undefined;
}

const sources = fileURLToPath(new URL("../../packages/core/src/middleware/", import.meta.url));

/** Makers of middlewares by name, from source with changes in it. */
export type Makers = Readonly<Record<string, (options?: never, more?: never) => Middleware>>;

/** A place for modules that are made from changed source. They find packages as tests do. */
export class Workshop implements AsyncDisposable {
  readonly #folder: Promise<string>;
  #made = 0;

  constructor() {
    const parent = fileURLToPath(new URL("../middleware/", import.meta.url));
    this.#folder = mkdtemp(join(parent, ".mutants-"));
  }

  /** @throws when a change has no place, since the source has changed. */
  async load(entry: string, changes: readonly Change[]): Promise<Makers> {
    const folder = await this.#folder;
    const changed = await changedFiles(changes);
    const { outputFiles } = await build({
      entryPoints: [join(sources, entry)],
      bundle: true,
      write: false,
      format: "esm",
      platform: "node",
      packages: "external",
      logLevel: "silent",
      plugins: [
        {
          name: "changes",
          setup: ({ onLoad }) =>
            onLoad({ filter: /\/middleware\/[\w-]+\.ts$/ }, ({ path }) => {
              const contents = changed.get(path);
              return contents === undefined ? undefined : { contents, loader: "ts" };
            }),
        },
      ],
    });
    this.#made += 1;
    const path = join(folder, `${this.#made}.mjs`);
    await mkdir(folder, { recursive: true });
    await writeFile(path, outputFiles[0]?.text ?? "");
    return (await import(pathToFileURL(path).href)) as Makers;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(await this.#folder, { recursive: true, force: true });
  }
}

async function changedFiles(changes: readonly Change[]): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  for (const { file, find, put, head = "" } of changes) {
    const path = join(sources, file);
    const text = texts.get(path) ?? (await readFile(path, "utf8"));
    const count = typeof find === "string" ? text.split(find).length - 1 : [...text.matchAll(find)].length;
    if (count !== 1) throw new Error(`${file} has ${count} places for the change of ${String(find)}, where 1 was expected.`);
    texts.set(path, `${typeof find === "string" ? text.replace(find, () => put) : text.replace(find, put)}\n${head}`);
  }
  return texts;
}
