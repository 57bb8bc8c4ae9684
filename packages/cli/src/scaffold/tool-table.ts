import type { ToolkitManifest, ToolManifest } from "@toolwright/core";

const begin = /^<!-- tools\b.*-->$/m;
const end = "<!-- /tools -->";

/** The tools of a manifest as a table for a README. */
export function toolTable(toolkits: readonly Pick<ToolkitManifest, "tools">[]): string {
  const rows = toolkits.flatMap(({ tools }) => tools.map(row));
  return ["| tool | effect | arguments | what it does |", "| --- | --- | --- | --- |", ...rows].join("\n");
}

function row({ name, effect, parameters, decode, description }: ToolManifest): string {
  const optional = new Set(decode?.optional);
  const given = Object.keys(parameters.properties).map((key) => `\`${key}\`${optional.has(key) ? " (optional)" : ""}`);
  return `| \`${name}\` | ${effect ?? "not declared"} | ${given.join(", ") || "none"} | ${cell(firstSentence(description))} |`;
}

/** What the table between the marks of a README is; undefined without marks. */
export function tableIn(readme: string): string | undefined {
  const place = placeOf(readme);
  return place === undefined ? undefined : readme.slice(...place).trim();
}

/** The README with this table between its marks; the same text when it has none. */
export function withTable(readme: string, table: string): string {
  const place = placeOf(readme);
  if (place === undefined) return readme;
  const newline = readme.includes("\r\n") ? "\r\n" : "\n";
  return `${readme.slice(0, place[0])}${newline}${table.replaceAll("\n", newline)}${newline}${readme.slice(place[1])}`;
}

function placeOf(readme: string): readonly [start: number, end: number] | undefined {
  const mark = begin.exec(readme);
  if (mark === null) return undefined;
  const start = mark.index + mark[0].trimEnd().length;
  const stop = readme.indexOf(end, start);
  return stop === -1 ? undefined : [start, stop];
}

const firstSentence = (text: string): string => /^.*?[.!?](?=\s|$)/s.exec(text)?.[0] ?? text;
const cell = (text: string): string => text.replaceAll(/\s+/g, " ").replaceAll("|", "\\|").trim();
