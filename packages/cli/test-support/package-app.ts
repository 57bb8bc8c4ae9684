import { type PackageManifest, toolHash, type ToolManifest } from "@toolwright/core";
import { temporaryProject, type TemporaryProject } from "./temporary-project.js";
import { runCommand } from "../src/cli.js";

const oneArticle = {
  type: "object",
  properties: { sku: { type: "string", description: "Number of the article." } },
  required: ["sku"],
  additionalProperties: false,
} as const;

/** A tool of a package for tests, whose method has its name. */
export function packageTool(name: string, more: Partial<ToolManifest> = {}): ToolManifest {
  return {
    name,
    method: name,
    description: `Tells the ${name} of an article.`,
    effect: "read",
    parameters: oneArticle,
    call: [{ argument: "sku" }],
    ...more,
  };
}

/** The manifest of a package for tests, with hashes that fit. */
export function packageManifest(name: string, tools: readonly ToolManifest[], more: Partial<PackageManifest> = {}): PackageManifest {
  return {
    format: 1,
    package: name,
    version: "1.0.0",
    engines: { "@toolwright/core": ">=0.1.0" },
    ...more,
    hashes: Object.fromEntries(tools.map((tool) => [tool.name, toolHash(tool)])),
    toolkits: [{ format: 1, className: "Tools", package: name, tools }],
  };
}

/** The files of a package as it is installed. */
export function packageFiles(
  manifest: PackageManifest,
  body = 'return "of " + sku;',
  options = "create: () => [new Tools()]",
): Readonly<Record<string, string>> {
  const { package: name, version, toolkits } = manifest;
  const tools = toolkits.flatMap((toolkit) => toolkit.tools);
  const decorated = tools.map(({ name: method, ...tool }) => {
    const { effect, approval, timeoutMs } = tool;
    return `Tool(${JSON.stringify({ effect, approval, timeoutMs })})(Tools_.prototype, "${method}");`;
  });
  const code = `import { defineToolPackage, Tool, ToolError } from "@toolwright/core";
import { registerToolkit } from "@toolwright/core/generated";
class Tools_ {
  constructor(config) { this.config = config; }
  ${tools.map(({ method }) => `${method}(sku) { ${body} }`).join("\n  ")}
}
Object.defineProperty(Tools_, "name", { value: "Tools" });
${decorated.join("\n")}
const Tools = registerToolkit(Tools_, ${JSON.stringify(toolkits[0])}, { methods: ${JSON.stringify(tools.map(({ method }) => method))} });
export default defineToolPackage({ ${options} });`;
  const exports = { ".": "./index.js", "./toolwright.manifest.json": "./toolwright.manifest.json" };
  return {
    [`node_modules/${name}/package.json`]: JSON.stringify({ name, version, type: "module", exports }),
    [`node_modules/${name}/toolwright.manifest.json`]: JSON.stringify(manifest),
    [`node_modules/${name}/index.js`]: code,
  };
}

/** An app that depends on these packages. */
export function packageApp(packages: readonly PackageManifest[], files: Readonly<Record<string, string>> = {}): TemporaryProject {
  const dependencies = Object.fromEntries(packages.map(({ package: name }) => [name, "*"]));
  return temporaryProject({
    "package.json": JSON.stringify({ name: "app", type: "module", dependencies }),
    ...Object.assign({}, ...packages.map((manifest) => packageFiles(manifest))),
    ...files,
  });
}

/** What a command printed, and how it ended. */
export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly error: string;
}

/** Runs a command of this process, in which there is nobody to ask. */
export async function command(...parameters: readonly string[]): Promise<Ended> {
  const out: string[] = [];
  const error: string[] = [];
  const code = await runCommand(parameters, { out: (text) => void out.push(text), error: (text) => void error.push(text) });
  return { code, out: out.join("\n"), error: error.join("\n") };
}
