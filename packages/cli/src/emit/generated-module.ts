import { createHash } from "node:crypto";
import type { OutputManifest, ToolkitManifest } from "@toolwright/core";
import { compareText } from "../compare.js";
import { canonicalManifest, canonicalOutput } from "./canonical.js";
import { jsonText } from "./json-text.js";

const header = "// Written by `toolwright build`.";

/** Whether the text of a module says that a build wrote it. */
export const isGenerated = (text: string): boolean => text.startsWith(header);

/** A class as the generated module imports it. */
export interface ImportedClass {
  readonly name: string;
  /** The name that the other module exports it by, `default` included. */
  readonly exportName: string;
  readonly specifier: string;
}

/** A class as the generated module registers it. */
export interface RegisteredClass<Manifest> extends ImportedClass {
  readonly manifest: Manifest;
  /** Names of the classes that its arguments, or the answer, become instances of. */
  readonly classes: readonly string[];
}

/** What a generated module is made of; toolkits and outputs by name. */
export interface ModuleParts {
  readonly toolkits: readonly RegisteredClass<ToolkitManifest>[];
  readonly outputs: readonly RegisteredClass<OutputManifest>[];
  readonly classes: readonly ImportedClass[];
}

/** The text of the module that registers the toolkits and outputs of a project and exports them. */
export function generatedModule({ toolkits, outputs, classes }: ModuleParts): string {
  const exported = [...toolkits, ...outputs];
  const taken = new Set(["registerToolkit", "registerOutput", ...exported.flatMap(({ name }) => [name, `${name}_`])]);
  // An output is imported already; two classes of one name were refused.
  const own = new Set(outputs.map(({ name }) => name));
  const localNames = new Map(classes.map(({ name }) => [name, own.has(name) ? `${name}_` : freeName(name, taken)]));
  const imports = importLines([
    ...exported.map((each) => ({ ...each, as: `${each.name}_` })),
    ...classes.filter(({ name }) => !own.has(name)).map((each) => ({ ...each, as: localNames.get(each.name) ?? each.name })),
  ]);
  const registered = [
    ...toolkits.map((toolkit) => toolkitLines(toolkit, localNames)),
    ...outputs.map((output) => outputLines(output, localNames)),
  ];
  const functions = [...(outputs.length > 0 ? ["registerOutput"] : []), ...(toolkits.length > 0 ? ["registerToolkit"] : [])];
  const lines = [`import { ${functions.join(", ")} } from "@toolwright/core/generated";`, ...imports, "", ...registered.flat()];
  const body = lines.join("\n");
  const hash = createHash("sha256").update(body).digest("hex");
  return `${header} Do not edit; run it again instead.\n// fingerprint: ${hash}\n${body}`;
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
  return [...bySpecifier]
    .sort(([one], [other]) => compareText(one, other))
    .map(([specifier, clauses]) => `import { ${clauses.sort(compareText).join(", ")} } from ${JSON.stringify(specifier)};`);
}

/** The texts of manifests: most of them are the same at the next build of a watch. */
const texts = new WeakMap<object, string>();

function textOf<Manifest extends object>(manifest: Manifest, canonical: (manifest: Manifest) => Manifest): string {
  const text = texts.get(manifest) ?? jsonText(canonical(manifest));
  texts.set(manifest, text);
  return text;
}

function toolkitLines(
  { name, manifest, classes }: RegisteredClass<ToolkitManifest>,
  localNames: ReadonlyMap<string, string>,
): readonly string[] {
  const methods = manifest.tools.map(({ method }) => JSON.stringify(method)).join(", ");
  const used = classes.length === 0 ? "" : `, ${classesText(classes, localNames)}`;
  return [
    `export const ${name} = registerToolkit(${name}_, ${textOf(manifest, canonicalManifest)}, { methods: [${methods}]${used} });`,
    `export type ${name} = InstanceType<typeof ${name}>;`,
    "",
  ];
}

function outputLines(
  { name, manifest, classes }: RegisteredClass<OutputManifest>,
  localNames: ReadonlyMap<string, string>,
): readonly string[] {
  return [
    `export const ${name} = registerOutput(${name}_, ${textOf(manifest, canonicalOutput)}, { ${classesText(classes, localNames)} });`,
    `export type ${name} = InstanceType<typeof ${name}>;`,
    "",
  ];
}

function classesText(classes: readonly string[], localNames: ReadonlyMap<string, string>): string {
  const entries = classes.map((key) => (localNames.get(key) === key ? key : `${key}: ${localNames.get(key)}`));
  return `classes: { ${entries.join(", ")} }`;
}

/** The manifests of toolkits in a module that was generated before; none when it was not, or was changed by hand. */
export const manifestsIn = (text: string): readonly ToolkitManifest[] =>
  parsed(text, /^export const \S+ = registerToolkit\(\S+, (\{[\s\S]*?\}), \{ methods: \[[^\n]*\);$/gm);

/** The same for outputs. */
export const outputsIn = (text: string): readonly OutputManifest[] =>
  parsed(text, /^export const \S+ = registerOutput\(\S+, (\{[\s\S]*?\}), \{ classes: \{[^\n]*\);$/gm);

function parsed<Manifest>(text: string, pattern: RegExp): readonly Manifest[] {
  return [...text.matchAll(pattern)].flatMap(([, manifest = ""]) => {
    try {
      return [JSON.parse(manifest) as Manifest];
    } catch {
      return [];
    }
  });
}
