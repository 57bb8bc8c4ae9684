import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildProject } from "../build-project.js";
import type { Finding, PackageJson } from "./finding.js";

/**
 * Does what findings say can be done safely.
 *
 * @returns the files that changed, relative to the folder, each with the codes of what it was changed for.
 */
export async function repair(folder: string, findings: readonly Finding[]): Promise<readonly string[]> {
  const changed = [...repairPackageJson(folder, findings), ...repairFiles(folder, findings)];
  // After the package.json: a keyword makes the build write a manifest.
  const toBuild = findings.filter((finding) => finding.repair?.kind === "build");
  if (toBuild.length === 0) return changed;
  const { ok, files } = await buildProject({ cwd: folder });
  const written = ok ? files.filter(({ state }) => state === "written").map(({ path }) => path) : [];
  return [...changed, ...written.map((path) => `${path} (${codes(toBuild)})`)];
}

function repairPackageJson(folder: string, findings: readonly Finding[]): readonly string[] {
  const path = join(folder, "package.json");
  const text = readFileSync(path, "utf8");
  const before = JSON.parse(text) as PackageJson;
  const done: Finding[] = [];
  let packageJson = before;
  for (const finding of findings) {
    if (finding.repair?.kind !== "package.json") continue;
    const next = finding.repair.change(packageJson);
    if (next !== packageJson) done.push(finding);
    packageJson = next;
  }
  if (done.length === 0) return [];
  writeFileSync(path, jsonLike(text, packageJson));
  return [`package.json (${codes(done)})`];
}

/** In the form that its author has chosen. */
function jsonLike(text: string, value: PackageJson): string {
  const indent = /^\{\r?\n([ \t]+)/.exec(text)?.[1] ?? 2;
  const made = `${JSON.stringify(value, undefined, indent)}${text.endsWith("\n") ? "\n" : ""}`;
  return text.includes("\r\n") ? made.replaceAll("\n", "\r\n") : made;
}

function repairFiles(folder: string, findings: readonly Finding[]): readonly string[] {
  return findings.flatMap((finding) => {
    if (finding.repair?.kind !== "file") return [];
    writeFileSync(join(folder, finding.file), finding.repair.text);
    return [`${finding.file} (${codes([finding])})`];
  });
}

const codes = (findings: readonly Finding[]): string => [...new Set(findings.map(({ code }) => code))].join(", ");
