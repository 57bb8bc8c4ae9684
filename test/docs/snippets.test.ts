import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const run = promisify(execFile);

const tsconfig = {
  compilerOptions: {
    target: "es2024",
    lib: ["es2024", "esnext.disposable"],
    module: "nodenext",
    strict: true,
    experimentalDecorators: true,
    skipLibCheck: true,
    noEmit: true,
    types: ["node"],
  },
  include: ["src", "test"],
};

/** The TypeScript of a page, by the file name in the first line of each block; blocks without one are numbered. */
function snippets(page: string): Map<string, string> {
  const files = new Map<string, string>();
  for (const [, code = ""] of page.matchAll(/^```ts\n([\s\S]*?)^```$/gm)) {
    const name = /^\/\/ ((?:src|test)\/\S+\.ts)\n/.exec(code)?.[1] ?? `src/snippet-${files.size + 1}.ts`;
    files.set(name, code);
  }
  return files;
}

async function pagesWithCode(): Promise<(readonly [page: string, files: Map<string, string>])[]> {
  const docs = (await readdir(join(root, "docs"), { recursive: true }))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`);
  const packages = (await readdir(join(root, "packages"))).map((name) => `packages/${name}/README.md`);
  const pages = ["README.md", "examples/README.md", ...docs, ...packages];
  const read = await Promise.all(pages.map((page) => readFile(join(root, page), "utf8").catch(() => "")));
  return pages.map((page, index) => [page, snippets(read[index] ?? "")] as const).filter(([, files]) => files.size > 0);
}

const documented = await pagesWithCode();

describe("the code in the documentation", () => {
  for (const [page, files] of documented) {
    it(`compiles: ${page}`, async () => {
      // Inside the workspace, so that packages are found as the tests find them.
      const folder = await mkdtemp(join(root, "test/docs/.snippets-"));
      try {
        await writeFile(join(folder, "package.json"), JSON.stringify({ name: "snippets", type: "module" }));
        await writeFile(join(folder, "tsconfig.json"), JSON.stringify(tsconfig));
        for (const [name, code] of files) {
          await mkdir(dirname(join(folder, name)), { recursive: true });
          await writeFile(join(folder, name), `${code}\nexport {};\n`);
        }
        if ([...files.values()].some((code) => code.includes("@Tool(") || code.includes("@Output("))) {
          await run(process.execPath, [join(root, "packages/cli/bin/toolwright.js"), "build"], { cwd: folder });
        }
        const checked = await run(join(root, "node_modules/.bin/tsc"), ["-p", folder], { cwd: folder }).catch(
          (error: unknown) => error as { stdout: string },
        );
        expect(checked.stdout).toBe("");
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    });
  }
});
