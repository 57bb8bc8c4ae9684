import type { PackageListing } from "@toolwright/core";

const header = ["package", "state", "tool", "effect", "offered as", "why not"];

/** What a registry lists, as a table: a row for each tool. */
export function packageTable(listing: readonly PackageListing[]): string {
  const rows = listing.flatMap(({ package: name, version = "?", state, tools, problem }) => {
    if (problem !== undefined) return [[`${name} ${version}`, state, "", "", "", problem]];
    return tools.map((tool, index) => [
      index === 0 ? `${name} ${version}` : "",
      index === 0 ? state : "",
      tool.name,
      tool.effect,
      tool.offeredAs ?? "-",
      tool.reason ?? "",
    ]);
  });
  const widths = header.map((_, column) => Math.max(...[header, ...rows].map((row) => row[column]?.length ?? 0)));
  return [header, ...rows]
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
