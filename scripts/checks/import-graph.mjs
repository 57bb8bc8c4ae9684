import { existsSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { parseSync } from "oxc-parser";

/**
 * @typedef {{ file: string, line: number, specifier: string, target: string | undefined }} Import
 * `target` is the imported file, relative to the root; undefined for packages. Always with `/`.
 */

/** Every import of a file: statements, re-exports, `import()` as a value and as a type, `require`, module augmentations. */
export function importsOf(root, file) {
  const text = readFileSync(join(root, file), "utf8");
  const { program, errors } = parseSync(file, text);
  if (errors.length > 0) throw new SyntaxError(errors[0].message);
  const found = [];
  visit(program, (node) => {
    const source = sourceOf(node);
    if (typeof source?.value !== "string") return;
    const line = text.slice(0, source.start).split("\n").length;
    const target = source.value.startsWith(".") ? resolve(root, file, source.value) : undefined;
    found.push({ file, line, specifier: source.value, target });
  });
  return found;
}

function sourceOf(node) {
  switch (node.type) {
    case "ImportDeclaration":
    case "ExportNamedDeclaration":
    case "ExportAllDeclaration":
    case "ImportExpression":
    case "TSImportType":
      return node.source;
    case "TSExternalModuleReference":
      return node.expression;
    case "TSModuleDeclaration":
      return node.id;
    case "CallExpression":
      return node.callee.name === "require" ? node.arguments[0] : undefined;
    default:
      return undefined;
  }
}

function visit(node, see) {
  if (Array.isArray(node)) {
    for (const child of node) visit(child, see);
  } else if (node !== null && typeof node === "object") {
    if (typeof node.type === "string") see(node);
    for (const key in node) visit(node[key], see);
  }
}

/** The source file that a relative specifier names; a `.js` that is not there means its `.ts`. */
function resolve(root, file, specifier) {
  const path = posix.join(dirname(file).replaceAll("\\", "/"), specifier);
  const source = path.replace(/\.([cm]?)js$/, ".$1ts");
  return [path, source].find((candidate) => existsSync(join(root, candidate))) ?? path;
}

/** Cycles among files, each as the imports that close it, the shortest for each knot of files. */
export function cyclesOf(imports) {
  const outgoing = Map.groupBy(
    imports.filter((edge) => edge.target !== undefined),
    (edge) => edge.file,
  );
  const seen = new Set();
  const cycles = [];
  for (const start of outgoing.keys()) {
    if (seen.has(start)) continue;
    const cycle = shortestCycle(start, outgoing);
    if (cycle === undefined) continue;
    for (const edge of cycle) seen.add(edge.file);
    cycles.push(cycle);
  }
  return cycles;
}

function shortestCycle(start, outgoing) {
  const cameBy = new Map();
  const queue = [start];
  for (const file of queue) {
    for (const edge of outgoing.get(file) ?? []) {
      if (cameBy.has(edge.target)) continue;
      cameBy.set(edge.target, edge);
      if (edge.target !== start) queue.push(edge.target);
      else return pathTo(start, cameBy);
    }
  }
  return undefined;
}

function pathTo(start, cameBy) {
  const path = [];
  let file = start;
  do {
    const edge = cameBy.get(file);
    path.unshift(edge);
    file = edge.file;
  } while (file !== start);
  return path;
}
