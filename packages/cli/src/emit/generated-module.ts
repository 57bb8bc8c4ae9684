import { createHash } from "node:crypto";
import type { ToolkitManifest } from "@toolwright/core";
import { compareText } from "../compare.js";
import { canonicalManifest } from "./canonical.js";
import { jsonText } from "./json-text.js";

/** A class as the generated module imports it. */
export interface ImportedClass {
  readonly name: string;
  /** The name that the other module exports it by, `default` included. */
  readonly exportName: string;
  readonly specifier: string;
}

/** A class of tools as the generated module registers it. */
export interface RegisteredToolkit extends ImportedClass {
  readonly manifest: ToolkitManifest;
  /** Names of the classes that its arguments become instances of. */
  readonly classes: readonly string[];
}

/** The text of the module that registers the toolkits of a project and exports them. */
export function generatedModule(toolkits: readonly RegisteredToolkit[], dtoClasses: readonly ImportedClass[]): string {
  const sorted = [...toolkits].sort((one, other) => compareText(one.name, other.name));
  const taken = new Set(["registerToolkit", ...sorted.flatMap(({ name }) => [name, `${name}_`])]);
  const localNames = new Map(dtoClasses.map(({ name }) => [name, freeName(name, taken)]));
  const imports = importLines([
    ...sorted.map((toolkit) => ({ ...toolkit, as: `${toolkit.name}_` })),
    ...dtoClasses.map((dto) => ({ ...dto, as: localNames.get(dto.name) ?? dto.name })),
  ]);
  const body = [...imports, "", ...sorted.flatMap((toolkit) => registration(toolkit, localNames))].join("\n");
  const hash = createHash("sha256").update(body).digest("hex");
  return `// Written by \`toolwright build\`. Do not edit; run it again instead.\n// fingerprint: ${hash}\n${body}`;
}

/** A name for the import of a class that is no other name of the module. */
function freeName(name: string, taken: ReadonlySet<string>): string {
  return taken.has(name) ? freeName(`${name}Class`, taken) : name;
}

function importLines(classes: readonly (ImportedClass & { readonly as: string })[]): readonly string[] {
  const bySpecifier = new Map<string, string[]>();
  for (const { exportName, specifier, as } of classes) {
    const clause = exportName === as ? as : `${exportName} as ${as}`;
    bySpecifier.set(specifier, [...(bySpecifier.get(specifier) ?? []), clause]);
  }
  const lines = [...bySpecifier]
    .sort(([one], [other]) => compareText(one, other))
    .map(([specifier, clauses]) => `import { ${clauses.sort(compareText).join(", ")} } from ${JSON.stringify(specifier)};`);
  return ['import { registerToolkit } from "@toolwright/core/generated";', ...lines];
}

function registration({ name, manifest, classes }: RegisteredToolkit, localNames: ReadonlyMap<string, string>): readonly string[] {
  const methods = manifest.tools.map(({ method }) => JSON.stringify(method)).join(", ");
  const entries = classes.map((key) => (localNames.get(key) === key ? key : `${key}: ${localNames.get(key)}`));
  const used = entries.length === 0 ? "" : `, classes: { ${entries.join(", ")} }`;
  return [
    `export const ${name} = registerToolkit(${name}_, ${jsonText(canonicalManifest(manifest))}, { methods: [${methods}]${used} });`,
    `export type ${name} = InstanceType<typeof ${name}>;`,
    "",
  ];
}

/** The manifests in a module that was generated before; none when it was not, or was changed by hand. */
export function manifestsIn(text: string): readonly ToolkitManifest[] {
  const pattern = /^export const \S+ = registerToolkit\(\S+, (\{[\s\S]*?\}), \{ methods: \[[^\n]*\);$/gm;
  return [...text.matchAll(pattern)].flatMap(([, manifest = ""]) => {
    try {
      return [JSON.parse(manifest) as ToolkitManifest];
    } catch {
      return [];
    }
  });
}
