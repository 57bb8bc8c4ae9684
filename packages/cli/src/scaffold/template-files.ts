import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { manifestsIn } from "../emit/generated-module.js";
import { nameForms } from "./package-name.js";
import { packageRoot } from "./package-root.js";
import { toolTable, withTable } from "./tool-table.js";

export type ProjectKind = "app" | "package";

/** A file to write: its path in the new project, with `/`, and its text. */
export interface NewFile {
  readonly path: string;
  readonly text: string;
}

/** What `toolwright build` writes in a template; a new project writes its own at its first build. */
const generated = "src/toolwright.generated.ts";
/** npm leaves such names out of a package, or reads them as its own. */
const renamed: Readonly<Record<string, string>> = { gitignore: ".gitignore", "new-package.json": "package.json" };

/** The files of a new project of this name, sorted. The templates are projects that build and pass their own tests. */
export function templateFiles(kind: ProjectKind, name: string): readonly NewFile[] {
  const { folder, version } = packageRoot();
  const template = join(folder, "templates", kind);
  const read = (path: string): string => readFileSync(join(template, path), "utf8");
  const rename = renaming(kind, name);
  const module = rename(read(generated));
  return pathsBelow(template)
    .filter((path) => path !== generated)
    .map((path) => {
      const text = rename(read(path));
      if (path === "README.md") return { path, text: withTable(text, toolTable(manifestsIn(module))) };
      const target = renamed[path] ?? rename(path).replace(/^github\//, ".github/");
      return { path: target, text: target === "package.json" ? withVersion(text, version) : text };
    })
    .sort((one, other) => (one.path < other.path ? -1 : 1));
}

function pathsBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .split(sep)
        .join("/"),
    )
    .filter((path) => !/^(node_modules|dist|\.toolwright)\//.test(path));
}

function renaming(kind: ProjectKind, name: string): (text: string) => string {
  if (kind === "app") return (text) => text.replaceAll("app-sample", name);
  const { pascal, snake, kebab, upper, words } = nameForms(name);
  return (text) =>
    // One pass: what a name puts in is not read again.
    text.replaceAll(/tools-sample|SAMPLE(?=_)|Sample|(?<=_)sample|sample(?=-)|\bsample\b/g, (found, at: number) => {
      if (found === "tools-sample") return name;
      if (found === "SAMPLE") return upper;
      if (found === "Sample") return pascal;
      if (text[at - 1] === "_") return snake;
      return text[at + found.length] === "-" ? kebab : words;
    });
}

/** Toolwright's packages are released together: a new project begins with the release that made it. */
function withVersion(packageJson: string, version: string): string {
  return packageJson.replaceAll(/("@toolwright\/[\w-]+": )"[^"]*"/g, `$1"^${version}"`);
}
