import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Finished, mustRun, root, run } from "./packed.js";

export type Manager = "npm" | "pnpm";

/** An app that uses the published `@acme/tools-stock`, in every form that an app may have. */
export interface Consumer {
  readonly folder: string;
  /** Runs Node in it. */
  node(parameters: readonly string[], env?: NodeJS.ProcessEnv): Promise<Finished>;
  toolwright(...parameters: readonly string[]): Promise<Finished>;
  /** Installs a version of a package beside what is there. */
  install(what: string): Promise<void>;
}

const program = `
const agent = new Agent({ model: "test", tools: [registry], middleware: standard() });
const before = registry.list().map(({ package: name, version, state }) => \`\${name}@\${version} \${state}\`);
const result = await agent.run("How many of A-1 are there?");
const [call] = result.steps.flatMap(({ calls }) => calls);
console.log(before.join(), call?.tool, call?.outcome.kind, result.stopReason === "completed" ? result.output : result.stopReason);
await registry[Symbol.asyncDispose]();
`;
const imports = `import { Agent, ToolRegistry } from "@toolwright/core";\nimport { standard } from "@toolwright/core/middleware";\n`;
const discover = (from: string): string =>
  `const registry = await ToolRegistry.discover({ from: ${from}, allow: { "@acme/tools-stock": { config: { unit: "boxes" } } } });`;

const files: Readonly<Record<string, string>> = {
  "esm.js": `${imports}${discover("import.meta.url")}${program}`,
  "cjs.cjs": `const { pathToFileURL } = require("node:url");
const { Agent, ToolRegistry } = require("@toolwright/core");
const { standard } = require("@toolwright/core/middleware");
(async () => {
${discover("pathToFileURL(__filename)")}${program}})();
`,
  "src/main.ts": `${imports}${discover("import.meta.url")}${program}`,
  "bundled.ts": `${imports}import manifest from "@acme/tools-stock/toolwright.manifest.json" with { type: "json" };
const registry = ToolRegistry.from([{ manifest, load: () => import("@acme/tools-stock") }]);${program}`,
  "tsconfig.json": JSON.stringify({
    compilerOptions: { target: "es2024", module: "nodenext", strict: true, rootDir: "src", skipLibCheck: false, types: ["node"] },
    include: ["src"],
  }),
  // What a workspace would say: the packages are newer than pnpm likes, and esbuild may install itself.
  "pnpm-workspace.yaml": "minimumReleaseAge: 0\nallowBuilds:\n  esbuild: true\n",
};

/** Makes the app, and installs everything. */
export async function installConsumer(parent: string, manager: Manager, settings: string): Promise<Consumer> {
  const folder = join(parent, `${manager} app`);
  const { devDependencies, packageManager } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as {
    devDependencies: Record<string, string>;
    packageManager: string;
  };
  const versions = Object.fromEntries(["typescript", "esbuild", "@types/node"].map((name) => [name, devDependencies[name]]));
  const packageJson = {
    ...{ name: "app", private: true, type: "module" },
    dependencies: { "@acme/tools-stock": "0.1.0", "@toolwright/core": "*", openai: "^7.0.0" },
    devDependencies: { "@toolwright/cli": "*", ...versions, "typescript-5": "npm:typescript@5.9.3" },
  };
  for (const [path, text] of Object.entries({
    ...files,
    "package.json": JSON.stringify(packageJson),
    ".npmrc": await readFile(settings, "utf8"),
  })) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  const [command, ...leading] = manager === "npm" ? ["npm"] : ["npx", "--yes", packageManager];
  const manage = async (...parameters: readonly string[]): Promise<void> =>
    void (await mustRun(command ?? "npm", [...leading, ...parameters], folder));
  await manage("install", ...(manager === "npm" ? ["--no-audit", "--no-fund", "--prefer-offline"] : ["--prefer-offline"]));
  return {
    folder,
    node: (parameters, env) => run(process.execPath, parameters, folder, env),
    toolwright: (...parameters) => run(process.execPath, ["node_modules/@toolwright/cli/bin/toolwright.js", ...parameters], folder),
    install: (what) => manage(manager === "npm" ? "install" : "add", what),
  };
}
