import { createRequire } from "node:module";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { ToolProject, tsconfig } from "../support/tool-project.js";

const tools = `import { Param, Tool } from "@toolwright/core";
import { IsInt, Min } from "class-validator";
export enum Mode { Fast = "fast", Slow = "slow" }
export class Line { sku!: string; @IsInt() @Min(1) count = 1 }
export class OrderTools {
  /** Places an order of its lines. */
  @Tool({ effect: "write", resource: "order:{id}" })
  place(@Param("Id of the order, e.g. A-17.") id: string, lines: Line[], at?: Date, mode = Mode.Fast): string { return id + lines.length + mode + String(at); }
}
`;
/** Nothing is imported from the build: what an application has at run time. */
const main = (from: string): string => `import { toolDefinitions } from "@toolwright/core";
import { OrderTools } from "${from}";
console.log(JSON.stringify(toolDefinitions([new OrderTools() as never])));
`;
const files = {
  "package.json": '{ "name": "app", "type": "module" }',
  "tsconfig.json": tsconfig({ emitDecoratorMetadata: false }),
  "src/tools.ts": tools,
  "src/main.ts": main("./toolwright.generated.js"),
};

/** Toolchains of the workspace's own matrix. */
const requireToolchain = createRequire(new URL("../toolchains/package.json", import.meta.url));

async function bySwc(project: ToolProject): Promise<string> {
  const swc = requireToolchain("@swc/core") as { transformSync(source: string, options: object): { code: string } };
  for (const name of ["tools", "toolwright.generated", "main"]) {
    const jsc = { parser: { syntax: "typescript", decorators: true }, transform: { legacyDecorator: true }, target: "es2022" };
    project.write({ [`dist/${name}.js`]: swc.transformSync(project.read(`src/${name}.ts`), { jsc }).code });
  }
  return project.node("dist/main.js");
}

async function byEsbuild(project: ToolProject): Promise<string> {
  await build({
    entryPoints: [`${project.directory}/src/main.ts`],
    outfile: `${project.directory}/dist/bundle.mjs`,
    ...{ bundle: true, minify: true, format: "esm", platform: "node", packages: "external" },
  });
  return project.node("dist/bundle.mjs");
}

async function byTsc(project: ToolProject): Promise<string> {
  await project.compile("--lib", "es2024,dom");
  return project.node("dist/main.js");
}

const byTsx = (project: ToolProject): Promise<string> => project.node("--import", requireToolchain.resolve("tsx"), "src/main.ts");

test("tsc, tsx, esbuild and swc give the same definitions, without any metadata of types", async () => {
  using project = new ToolProject(files);
  expect((await project.build()).problems).toEqual([]);
  const expected = await byTsc(project);
  expect(JSON.parse(expected)).toMatchObject([
    {
      name: "place",
      strict: true,
      parameters: {
        properties: {
          id: { type: "string", description: "Id of the order, e.g. A-17." },
          lines: { type: "array", items: { properties: { sku: { type: "string" }, count: { type: ["integer", "null"], minimum: 1 } } } },
          at: { type: ["string", "null"], format: "date-time" },
          mode: { type: ["string", "null"], enum: ["fast", "slow", null] },
        },
      },
    },
  ]);
  expect(await byTsx(project)).toBe(expected);
  expect(await byEsbuild(project)).toBe(expected);
  expect(await bySwc(project)).toBe(expected);
}, 60_000);

test("a missing artefact is an error by name, with the command to run", async () => {
  using project = new ToolProject({ ...files, "src/main.ts": main("./tools.js") });
  const error: unknown = await byTsx(project).catch((reason: unknown) => reason);
  expect(String(error)).toContain("OrderTools");
  expect(String(error)).toContain("npx toolwright build");
});

test("an artefact that is out of date is one too", async () => {
  using project = new ToolProject(files);
  await project.build();
  project.write({ "src/tools.ts": tools.replace("place(", "put(") });
  const error: unknown = await byTsx(project).catch((reason: unknown) => reason);
  expect(String(error)).toMatch(/does not fit the class OrderTools: the method put has @Tool but was not built/);
  expect(String(error)).toContain("npx toolwright build");
});
