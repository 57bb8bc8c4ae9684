import { existsSync } from "node:fs";
import { sep } from "node:path";
import { installedToolPackages, type PackageManifest } from "@toolwright/core";
import { commentText, schemaType } from "./schema-type.js";

/** The name of the file that tells TypeScript about installed tool packages. It stands beside the generated module. */
const packagesTypesName = "toolwright.packages.d.ts";

/** The file to write, and what it depends on. Paths are absolute. */
export interface PackagesTypes {
  readonly path: string;
  readonly text: string;
  /** The manifests that were read. */
  readonly inputs: readonly string[];
}

/**
 * Declarations of the tool packages that an app has installed, so that `allow` is checked by the compiler: names of tools,
 * and the configuration. Undefined when there is none that can be used, and no file of before.
 *
 * @param folder - of the app.
 * @param directory - where the file stands: beside the generated module.
 */
export function packagesTypes(folder: string, directory: string): PackagesTypes | undefined {
  const { packages } = installedToolPackages(folder);
  const usable = packages.filter(({ problem }) => problem === undefined).flatMap(({ manifest }) => manifest ?? []);
  const path = `${directory}/${packagesTypesName}`;
  if (usable.length === 0 && !existsSync(path)) return undefined;
  return { path, text: typesText(usable), inputs: packages.map((each) => each.path.split(sep).join("/")) };
}

function typesText(manifests: readonly PackageManifest[]): string {
  const lines = [
    "// Written by `toolwright build` from the manifests of the installed tool packages. Do not edit; run it again instead.",
    'import "@toolwright/core";',
    "",
    'declare module "@toolwright/core" {',
    "  interface ToolPackages {",
    ...manifests.map(packageText),
    "  }",
    "}",
    "",
  ];
  return lines.join("\n");
}

function packageText(manifest: PackageManifest): string {
  const tools = manifest.toolkits.flatMap((toolkit) => toolkit.tools.map(({ name }) => JSON.stringify(name)));
  return `    /** Version ${commentText(manifest.version)}. */
    ${JSON.stringify(manifest.package)}: {
      readonly tools: ${tools.join(" | ")};
      readonly ${configText(manifest)};
    };`;
}

function configText({ config, engines }: PackageManifest): string {
  // One without `engines` was built before manifests told of configurations.
  if (config === undefined) return engines === undefined ? "config?: object | undefined" : "config?: undefined";
  const { schema, environment = {} } = config;
  if (schema === undefined) return "config?: object | undefined";
  const { required = [] } = schema as { required?: readonly string[] };
  // What a variable may give need not be given here.
  const isOptional = (key: string): boolean => Object.hasOwn(environment, key);
  const type = schemaType(schema, "      ", isOptional);
  return required.every(isOptional) ? `config?: ${type} | undefined` : `config: ${type}`;
}
