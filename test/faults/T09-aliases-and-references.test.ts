import { expect, test } from "vitest";
import { compilerOptions, ToolProject } from "../support/tool-project.js";

const described = '/** Takes what this test is about. */ @Tool({ effect: "read" })';
const pallet = "export interface Pallet { /** In kg. */ weight: number; at?: Date }\nexport class Crate { size!: number; count = 1 }\n";
const packageJson = (name: string, more: object = {}): string =>
  JSON.stringify({ name, version: "1.0.0", type: "module", keywords: ["toolwright-tools"], ...more });
const source = (specifier: string): string => `import { Tool } from "@toolwright/core";
import type { Pallet } from "${specifier}";
import { Crate } from "${specifier}";
export class T { ${described} run(pallet: Pallet, crates: Crate[]): void {} }
`;

/** A workspace with a package of types and one of tools. */
const workspace = (specifier: string): Readonly<Record<string, string>> => ({
  "package.json": packageJson("workspace"),
  "tsconfig.json": '{ "files": [] }',
  "tsconfig.base.json": JSON.stringify({ compilerOptions: { ...compilerOptions, paths: { "@ext/*": ["./packages/ext/src/*"] } } }),
  "packages/ext/package.json": packageJson("ext", {
    exports: { "./pallet": { types: "./dist/pallet.d.ts", default: "./dist/pallet.js" } },
  }),
  "packages/ext/tsconfig.json": JSON.stringify({
    extends: "../../tsconfig.base.json",
    compilerOptions: { composite: true, rootDir: "src", outDir: "dist" },
    include: ["src"],
  }),
  "packages/ext/src/pallet.ts": pallet,
  "packages/app/package.json": packageJson("app"),
  "packages/app/tsconfig.json": JSON.stringify({
    extends: "../../tsconfig.base.json",
    include: ["src"],
    references: [{ path: "../ext" }],
  }),
  "packages/app/src/tools.ts": source(specifier),
});

async function parametersOf(specifier: string, prepare: (project: ToolProject) => unknown = () => undefined): Promise<readonly unknown[]> {
  using project = new ToolProject(workspace(specifier));
  await prepare(project);
  const { problems } = await project.build({ project: "packages/app" });
  expect(problems).toEqual([]);
  const { parameters, decode } = project.tools("packages/app")["run"] ?? {};
  // The class is imported as the author imports it.
  expect(project.read("packages/app/src/toolwright.generated.ts")).toContain(`import { Crate } from "${specifier}";`);
  return [parameters, decode];
}

/** As a package manager links a neighbour. */
const link = async (project: ToolProject): Promise<void> => {
  const { mkdir, symlink } = await import("node:fs/promises");
  const folder = `${project.directory}/packages/app/node_modules`;
  await mkdir(folder);
  await symlink(`${project.directory}/packages/ext`, `${folder}/ext`, "dir");
};

test("an alias of an extended tsconfig, and a referenced project that was never built, give what a relative import gives", async () => {
  const relative = await parametersOf("../../ext/src/pallet.js");
  expect(relative[0]).toMatchObject({
    properties: { pallet: { properties: { weight: { type: "number" }, at: { type: ["string", "null"] } } }, crates: { type: "array" } },
  });
  expect(await parametersOf("@ext/pallet")).toEqual(relative);
  expect(await parametersOf("ext/pallet", link)).toEqual(relative);
});

test("so does a neighbour that was built, by its declarations", async () => {
  const relative = await parametersOf("../../ext/src/pallet.js");
  const built = async (project: ToolProject): Promise<void> => {
    await link(project);
    project.write({
      "packages/app/tsconfig.json": '{ "extends": "../../tsconfig.base.json", "include": ["src"] }',
      "packages/ext/dist/pallet.d.ts":
        "export interface Pallet { /** In kg. */ weight: number; at?: Date }\nexport declare class Crate { size: number; count?: number }\n",
    });
  };
  const [parameters, decode] = await parametersOf("ext/pallet", built);
  // Initialisers are not in declarations: the default itself is not told.
  expect(JSON.stringify(parameters)).toBe(JSON.stringify(relative[0]).replace(',"description":"Default: 1."', ""));
  expect(decode).toEqual(relative[1]);
});

test.each(["@ext/nowhere", "@extern/pallet", "ext/pallet", "../../ext/src/nowhere.js"])(
  "%s, which leads nowhere, stops the build",
  async (specifier) => {
    using project = new ToolProject(workspace(specifier));
    const { problems } = await project.build({ project: "packages/app" });
    expect(problems.map(({ file, subject, reason }) => [file, subject, reason])).toEqual([
      ["packages/app/src/tools.ts", "T.run(pallet)", "The type Pallet cannot be resolved."],
      ["packages/app/src/tools.ts", "T.run(crates)[]", "The type Crate cannot be resolved."],
    ]);
  },
);
