import { mkdir, readFile, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type Packed, mustRun, packAll, root, run, scratchFolder } from "./packed.js";

// Compilers and other programs run here, side by side with other tests.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 300_000 });

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly exports?: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;
  readonly bin?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

const readManifest = async (path: string) => JSON.parse(await readFile(path, "utf8")) as Manifest;

const folders = await readdir(join(root, "packages"));
const manifests = await Promise.all(folders.map((folder) => readManifest(join(root, "packages", folder, "package.json"))));
const publicPackages = manifests.filter((manifest) => manifest.private !== true);

/** Kilobytes that a tarball may have, and its contents. What is far above its size of today has something in it by mistake. */
const limits: Readonly<Record<string, readonly [packed: number, unpacked: number]>> = {
  "@toolwright/core": [340, 1300],
  "@toolwright/testing": [80, 270],
  "@toolwright/cli": [220, 760],
  "create-toolwright": [5, 10],
  "@toolwright/tools-weather": [20, 60],
  "@toolwright/tools-orders": [30, 110],
};

let scratch: Awaited<ReturnType<typeof scratchFolder>>;
let packed: ReadonlyMap<string, Packed>;
const tarball = (name: string): Packed => {
  const found = packed.get(name);
  if (found === undefined) throw new Error(`${name} was not packed`);
  return found;
};

beforeAll(async () => {
  scratch = await scratchFolder();
  packed = await packAll(scratch.path);
});
afterAll(() => scratch[Symbol.asyncDispose]());

describe.each(publicPackages)("the tarball of $name", ({ name }) => {
  let contents: string;
  let manifest: Manifest;

  beforeAll(async () => {
    contents = join(scratch.path, name.replace("/", "-"));
    await mkdir(contents);
    await mustRun("tar", ["-xzf", tarball(name).filename, "-C", contents]);
    contents = join(contents, "package");
    manifest = await readManifest(join(contents, "package.json"));
  });

  it("holds what is run, its types and its papers, and nothing else", () => {
    const expected =
      /^(package\.json|LICENSE|README\.md|CHANGELOG\.md|toolwright\.manifest\.json|bin\/[\w-]+\.js|dist\/[\w/.-]+\.(js|d\.ts))$/;
    // What `toolwright init` and `import` write begins as these files, the generated ones included.
    const isTemplate = (path: string): boolean =>
      name === "@toolwright/cli" && /^templates\/(app|package|openapi)\/(?!.*(^|\/)(node_modules|dist|\.toolwright)\/)/.test(path);
    const paths = tarball(name)
      .files.map(({ path }) => path)
      .filter((path) => !isTemplate(path));
    expect(paths.filter((path) => !expected.test(path))).toEqual([]);
    expect(paths.filter((path) => /(^|\/)(src|tests?|fixtures|node_modules)\/|\.test\./.test(path))).toEqual([]);
    expect(paths).toEqual(expect.arrayContaining(["package.json", "LICENSE"]));
  });

  it("is within its limits of size", async () => {
    const [packedLimit, unpackedLimit] = limits[name] ?? [0, 0];
    const unpacked = await Promise.all(tarball(name).files.map(async ({ path }) => (await stat(join(contents, path))).size));
    const sizes = [(await stat(tarball(name).filename)).size, unpacked.reduce((sum, size) => sum + size, 0)].map((bytes) =>
      Math.ceil(bytes / 1_024),
    );
    expect(sizes[0], `${name} has ${sizes[0]} KB packed`).toBeLessThanOrEqual(packedLimit);
    expect(sizes[1], `${name} has ${sizes[1]} KB unpacked`).toBeLessThanOrEqual(unpackedLimit);
  });

  it("has every file that its package.json names", () => {
    const targets = Object.values(manifest.exports ?? {}).flatMap((target) =>
      typeof target === "string" ? [target] : [target.types, target.default],
    );
    const named = [...targets, ...Object.values(manifest.bin ?? {})].map((target) => target.replace(/^\.\//, ""));
    const paths = tarball(name).files.map(({ path }) => path);
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((path) => !paths.includes(path))).toEqual([]);
  });

  it("asks for its siblings by version, not by workspace", async () => {
    expect(await readFile(join(contents, "package.json"), "utf8")).not.toContain("workspace:");
    const ranges = Object.entries({ ...manifest.dependencies, ...manifest.peerDependencies });
    for (const [dependency, range] of ranges.filter(([sibling]) => packed.has(sibling))) {
      expect([dependency, range]).toEqual([dependency, `^${tarball(dependency).version}`]);
    }
  });

  it("says nothing of the machine that it was built on", async () => {
    const home = process.env.HOME ?? root;
    for (const { path } of tarball(name).files) {
      const text = await readFile(join(contents, path), "utf8");
      expect([path, text.includes(root) || (home.length > 1 && text.includes(`${home}/`))]).toEqual([path, false]);
      expect([path, /\bsk-[\w-]{20,}|\bnpm_[A-Za-z0-9]{36}|-----BEGIN [A-Z ]*PRIVATE KEY/.test(text)]).toEqual([path, false]);
    }
  });

  it("passes publint", async () => {
    const { code, stdout, stderr } = await run("publint", ["run", tarball(name).filename, "--strict"]);
    expect({ code, output: code === 0 ? "" : stdout + stderr }).toEqual({ code: 0, output: "" });
  });

  it("has types that fit its code for every way of importing it", async () => {
    if (manifest.exports === undefined) return;
    const modules = Object.entries(manifest.exports).filter(([, target]) => typeof target !== "string");
    const entrypoints = modules.map(([entry]) => entry);
    const parameters = ["--profile", "esm-only", "--no-emoji", "--no-color", "--entrypoints", ...entrypoints, "--", tarball(name).filename];
    const { code, stdout, stderr } = await run("attw", parameters);
    expect({ code, output: code === 0 ? "" : stdout + stderr }).toEqual({ code: 0, output: "" });
  });
});
