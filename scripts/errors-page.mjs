// Writes docs/errors.md from the catalogue; with --check it only says whether the page is up to date.
import { readFileSync, writeFileSync } from "node:fs";
import { errorCatalogue } from "../packages/core/dist/index.js";

const file = new URL("../docs/errors.md", import.meta.url);
const areas = {
  BUILD: "The schema compiler",
  TOOL: "A call of a tool",
  MODEL: "A model, or the way to it",
  RUN: "A run",
  REGISTRY: "The registry",
};
const lines = [
  "# Error codes",
  "",
  "Every error is a `ToolwrightError` with a stable `code`, `who` should act, and whether the same attempt may succeed later",
  '(`retryable`; some errors know better than their code). `ToolwrightError.is(error, "RUN_BUDGET")` works across copies of',
  "the package. This page is written from the catalogue by `pnpm docs:errors`.",
];
for (const [area, title] of Object.entries(areas)) {
  lines.push("", `## ${title}`, "", "| code | meaning | fix | who | retryable |", "| --- | --- | --- | --- | --- |");
  for (const [code, { meaning, fix, who, retryable }] of Object.entries(errorCatalogue)) {
    if (code.startsWith(`${area}_`))
      lines.push(`| \`${code}\` | ${meaning} | ${fix.replaceAll("|", "\\|")} | ${who} | ${retryable ? "yes" : "no"} |`);
  }
}
const page = `${lines.join("\n")}\n`;
if (process.argv.includes("--check")) {
  if (readFileSync(file, "utf8") !== page) {
    console.error("docs/errors.md differs from the catalogue. Fix: run `pnpm docs:errors`.");
    process.exit(1);
  }
} else writeFileSync(file, page);
