// What must not be in any file of the repository: it would tie the code to one machine or one registry, or is unfinished.
import { readFileSync } from "node:fs";
import { inRoot } from "../lib/workspace.mjs";
import { report, workspaceFiles } from "./files.mjs";

const code = /\.([cm]?[jt]s|json|ya?ml|sh)$|^\.ci\//;
const source = /\.[cm]?[jt]s$/;
const rules = [
  { pattern: /\b[\w.-]*registry[\w-]*\.[\w-]+\.(org|com|io|net|dev)\b|_authToken/i, problem: "names a registry host" },
  { pattern: /^\s+(resolution: \{.*tarball:|.*https?:\/\/)/, only: /(^|\/)pnpm-lock\.yaml$/, problem: "ties the lockfile to a host" },
  { pattern: /(?<![\w.$}*-])\/(root|work|home\/[a-z]\w*|Users\/[A-Za-z]\w*)\/\w/, problem: "is a path of one machine" },
  { pattern: /[A-Z]:\\Users\\/, problem: "is a path of one machine" },
  { pattern: /\b(TODO|FIXME|XXX|HACK)\b/, only: code, problem: "is unfinished" },
  { pattern: /@ts-(ignore|nocheck)\b/, only: source, problem: "switches the compiler off: use @ts-expect-error with a reason" },
  { pattern: /^(<{7}|>{7}) /, problem: "is a left merge conflict" },
];
const themselves = ["scripts/checks/text.mjs"];

const problems = [];
for (const file of workspaceFiles().filter((name) => !themselves.includes(name))) {
  const bytes = readFileSync(inRoot(file));
  if (bytes.includes(0)) continue;
  bytes
    .toString("utf8")
    .split("\n")
    .forEach((line, index) => {
      for (const { pattern, only, problem } of rules) {
        const match = (only?.test(file) ?? true) ? pattern.exec(line) : null;
        if (match !== null) problems.push(`${file}:${index + 1}: "${match[0].trim()}" ${problem}`);
      }
    });
}
report(problems);
