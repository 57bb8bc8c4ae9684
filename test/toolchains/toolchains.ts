import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Options, transformFile } from "@swc/core";
import { build, type BuildOptions } from "esbuild";
import { type Answers, type App, sourcesOf } from "./project.js";

export type Decorators = "legacy" | "standard";

/** A way from TypeScript to a running program. */
export interface Toolchain {
  readonly name: string;
  /**
   * Decorators that apps are tried with. Vite and vitest leave standard ones in the code, where no engine runs them yet;
   * the ways to bundle do not differ in them.
   */
  readonly decorators: readonly Decorators[];
  /** Compiles an app, and gives the module that has its `answers`. */
  compile(app: App, decorators: Decorators): Promise<string>;
  /** Flags of Node that run the module. */
  readonly flags?: readonly string[];
  /** Runs the module where Node itself does not. */
  run?(app: App): Promise<Answers>;
}

const both = ["legacy", "standard"] as const;

/** The one that the others are compared with. */
export const typescript7 = tsc("tsc 7", "typescript");

export const toolchains: readonly Toolchain[] = [
  tsc("tsc 5.9", "typescript-5.9"),
  { name: "tsx", decorators: both, flags: ["--import", "tsx"], compile: async () => "src/main.ts" },
  esbuild("esbuild, the app and every package in one minified file", both, {}),
  esbuild("esbuild, the app alone in one minified file", ["legacy"], { packages: "external" }),
  esbuild("esbuild, with a class-transformer and a class-validator of its own", ["legacy"], { external: ["@toolwright/*", "openai"] }),
  {
    name: "swc",
    decorators: both,
    compile: async (app, decorators) => {
      for (const name of await sourcesOf(app)) await compileWithSwc(app, name, decorators);
      return "out/swc/main.js";
    },
  },
  {
    name: "vite 8, minified for the server",
    decorators: ["legacy"],
    compile: async (app) => {
      await app.program("vite/bin/vite.js", "build", "--ssr", "src/main.ts", "--outDir", "out/vite", "--minify");
      return "out/vite/main.js";
    },
  },
  {
    name: "vitest 5",
    decorators: ["legacy"],
    compile: async () => "src/answers.test.ts",
    run: async (app) => {
      await app.program("vitest/vitest.mjs", "run");
      return JSON.parse(await readFile(join(app.directory, "answers.json"), "utf8")) as Answers;
    },
  },
];

function tsc(name: string, compiler: string): Toolchain {
  const outDir = `out/${compiler}`;
  return {
    name,
    decorators: both,
    compile: async (app, decorators) => {
      // The types are the same with both kinds of decorators: checking them once is enough.
      const flags = decorators === "standard" ? ["--noCheck"] : [];
      await app.program(`${compiler}/bin/tsc`, "--outDir", outDir, "--pretty", "false", ...flags);
      return `${outDir}/main.js`;
    },
  };
}

function esbuild(name: string, decorators: readonly Decorators[], options: BuildOptions): Toolchain {
  const outfile = `out/${name.replaceAll(/\W+/g, "-")}/main.js`;
  return {
    name,
    decorators,
    compile: async ({ directory }) => {
      await build({
        absWorkingDir: directory,
        entryPoints: ["src/main.ts"],
        outfile,
        bundle: true,
        minify: true,
        platform: "node",
        format: "esm",
        // Without a target, esbuild leaves standard decorators as they are.
        target: "node22",
        logLevel: "silent",
        ...options,
      });
      return outfile;
    },
  };
}

async function compileWithSwc({ directory }: App, name: string, decorators: Decorators): Promise<void> {
  const options: Options = {
    swcrc: false,
    jsc: {
      parser: { syntax: "typescript", decorators: true },
      transform: decorators === "legacy" ? { legacyDecorator: true, decoratorMetadata: true } : { decoratorVersion: "2022-03" },
      target: "es2022",
    },
    module: { type: "es6" },
  };
  const { code } = await transformFile(join(directory, "src", name), options);
  const path = join(directory, "out/swc", name.replace(/\.ts$/, ".js"));
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, code);
}
