import { type ManifestChange, type PackageManifest, type SchemaNode, visibleText } from "@toolwright/core";

/** What a package brings, for the one who approves it: what it reaches for, how it is configured, and every tool as the model reads it. */
export function packageText(manifest: PackageManifest): string {
  const { package: name, version, toolkits } = manifest;
  const tools = toolkits.flatMap((toolkit) => toolkit.tools);
  return [
    `${name} ${version}`,
    ...indented([...needsLines(manifest), ...configLines(manifest)]),
    ...tools.flatMap(({ name: tool, effect = "write", approval, description, parameters }) => [
      `  ${tool} (${effect}${approval === undefined ? "" : ", asks for approval"})`,
      `    ${visibleText(description)}`,
      ...parameterLines(parameters).map((line) => `      ${line}`),
    ]),
  ].join("\n");
}

/** What the model reads of a schema beside its form: names, values and descriptions. */
function parameterLines(schema: SchemaNode, path = ""): readonly string[] {
  const { properties = {}, $defs = {}, anyOf = [], items } = schema;
  const inner = (key: string): string => (path === "" ? key : `${path}.${key}`);
  return [
    ...Object.entries(properties).flatMap(([key, node]) => [parameterLine(inner(key), node), ...parameterLines(node, inner(key))]),
    ...(items === undefined ? [] : parameterLines(items, `${path}[]`)),
    ...anyOf.flatMap((branch) => parameterLines(branch, path)),
    ...Object.entries($defs).flatMap(([name, node]) => parameterLines(node, name)),
  ];
}

function parameterLine(path: string, { description, enum: values }: SchemaNode): string {
  const choices = values === undefined ? "" : ` (${values.map((value) => JSON.stringify(value)).join(", ")})`;
  return visibleText(`${path}${choices}${description === undefined ? "" : `: ${description}`}`);
}

/** What a package reaches for, a line each; one that says so when it tells of nothing. */
export function needsLines({ needs }: Pick<PackageManifest, "needs">): readonly string[] {
  const lines = Object.entries(needs ?? {}).flatMap(([what, list]) =>
    list === undefined || list.length === 0 ? [] : [`needs ${what}: ${list.map(visibleText).join(", ")}`],
  );
  return lines.length === 0 ? ["declares no needs of hosts, files or environment"] : lines;
}

function configLines({ config }: PackageManifest): readonly string[] {
  if (config === undefined) return [];
  const { schema, environment = {}, secrets = [] } = config;
  const keys = [...new Set([...Object.keys((schema?.["properties"] ?? {}) as object), ...Object.keys(environment), ...secrets])];
  if (keys.length === 0) return ["takes a configuration"];
  const shown = keys.map((key) => {
    const marks = [...(secrets.includes(key) ? ["secret"] : []), ...(Object.hasOwn(environment, key) ? [`from ${environment[key]}`] : [])];
    return visibleText(key) + (marks.length === 0 ? "" : ` (${marks.join(", ")})`);
  });
  return [`config: ${shown.join(", ")}`];
}

/** What changed of a package, a line or more for each change: `-` as it was approved, `+` as it is now. */
export function changesText(changes: readonly ManifestChange[]): string {
  const lines: string[] = [];
  let heading: string | undefined = "";
  for (const change of changes) {
    const own = change.tool ?? "the package";
    if (own !== heading) lines.push(`  ${change.part === "tool" ? `${own}: ${change.before === undefined ? "new" : "gone"}` : own}`);
    heading = own;
    if (change.part === "tool") lines.push(...toolLines(change));
    else lines.push(`    ${partOf(change)}`, ...valueLines("-", change.before), ...valueLines("+", change.after));
  }
  return lines.join("\n");
}

const partOf = ({ part, path }: ManifestChange): string => (path === "" ? part : `${part} ${visibleText(path)}`);

function toolLines({ before, after }: ManifestChange): readonly string[] {
  const sign = before === undefined ? "+" : "-";
  const { effect = "write", description, parameters } = (after ?? before) as { effect?: string; description: string; parameters: unknown };
  return [`    ${sign} effect ${effect}`, `    ${sign} ${visibleText(description)}`, ...valueLines(sign, parameters)];
}

function valueLines(sign: string, value: unknown): readonly string[] {
  if (value === undefined) return [];
  return [`      ${sign} ${visibleText(typeof value === "string" ? value : JSON.stringify(value))}`];
}

const indented = (lines: readonly string[]): readonly string[] => lines.map((line) => `  ${line}`);
