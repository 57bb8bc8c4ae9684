// Who may import whom. Imports of types count like any other.

/** Rows of packages/core/src from the ground up: a row imports only rows above it in this list, and itself. */
const rows = ["contracts", "errors", "authoring", "schema", "registry", "pipeline", "run", "agent"];
/** Leaves know the seams and the rules of schemas and history, not the loop that calls them; nor each other. */
const leaves = ["middleware", "openai", "session"];
const openToLeaves = (file) =>
  ["contracts", "errors", "schema"].includes(rowOf(file)) || /^run\/(history|usage-cost)[^/]*(\/|\.ts$)/.test(file);
/** The composition roots: they import anything, and nothing imports them. */
const roots = ["index.ts", "middleware.ts", "generated.ts"];

/** Packages of this workspace that the source of each package may import, by name. */
const packages = {
  core: [],
  testing: ["core"],
  cli: ["core"],
  "create-toolwright": ["cli"],
  durable: ["core"],
  mcp: ["core"],
};
const allowedPackages = (folder) => packages[folder] ?? (folder.startsWith("tools-") ? ["core"] : undefined);

/** The row of a file, relative to packages/core/src: its folder, or `agent` for agent.ts and agent-….ts. */
function rowOf(file) {
  if (file.includes("/")) return file.slice(0, file.indexOf("/"));
  return /^agent(-[\w-]+)?\.ts$/.test(file) ? "agent" : file;
}

/** What is wrong with an import from one file of core to another, both relative to packages/core/src; undefined if nothing is. */
export function rowProblem(from, to) {
  if (from.endsWith(".test.ts") || roots.includes(from)) return undefined;
  if (roots.includes(to)) return `${to} is an entry of the package: import the file that declares the name`;
  const [fromRow, toRow] = [rowOf(from), rowOf(to)];
  if (fromRow === toRow) return undefined;
  if (leaves.includes(fromRow)) {
    return openToLeaves(to)
      ? undefined
      : `${fromRow}/ is a leaf: it imports only contracts/, errors/, schema/, run/history and run/usage-cost, not ${to}`;
  }
  if (!rows.includes(fromRow)) return `${fromRow} has no row: give it one in scripts/checks/import-rules.mjs`;
  if (rows.indexOf(toRow) !== -1 && rows.indexOf(toRow) < rows.indexOf(fromRow)) return undefined;
  return `${fromRow} may import only ${rows.slice(0, rows.indexOf(fromRow)).join(", ") || "itself"}, not ${to}`;
}

/** What is wrong with an import of a package of this workspace by name; undefined if nothing is. */
export function packageProblem(fromFile, specifier) {
  const [, folder] = /^packages\/([^/]+)\//.exec(fromFile) ?? [];
  const [, scoped, plain] = /^(?:@toolwright\/([^/]+)|(create-toolwright))(?:\/|$)/.exec(specifier) ?? [];
  const target = scoped ?? plain;
  if (folder === undefined || target === undefined) return undefined;
  const allowed = allowedPackages(folder);
  if (allowed === undefined) return `packages/${folder} is not in the table of packages: add it to scripts/checks/import-rules.mjs`;
  if (allowed.includes(target)) return undefined;
  // Tests of a package may use the stand-in server, except in core: testing depends on core.
  const isTest = fromFile.endsWith(".test.ts") || !/^packages\/[^/]+\/(src|bin)\//.test(fromFile);
  if (isTest && (target === folder || (target === "testing" && folder !== "core"))) return undefined;
  return `packages/${folder} may import ${allowed.length === 0 ? "no other package of this workspace" : `only ${allowed.join(", ")}`}, not ${specifier}`;
}
