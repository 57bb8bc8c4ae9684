import { jsonText } from "../../src/emit/json-text.js";
import { type BuildProblem, formatProblem } from "../../src/problem.js";
import { type CompiledCase, type CompiledGroup, methodOf } from "./compile-matrix.js";

const block = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\`\n`;

/** A page that a person can read: what was written, and what came of it. */
export function renderGroup({ title, cases }: CompiledGroup): string {
  return `# ${title}\n\n${cases.map(renderCase).join("\n")}`;
}

function renderCase(each: CompiledCase): string {
  const written = [...(each.types === "" ? [] : [each.types]), methodOf(each)].join("\n");
  const parts = [`## ${each.title}\n`, block("ts", shortened(written))];
  if (each.tool !== undefined) {
    const { parameters, decode, call } = each.tool;
    parts.push(block("json", jsonText(parameters)));
    const takesWhole = call.some((slot) => "arguments" in slot);
    if (takesWhole) parts.push("The method gets all arguments as one object.\n");
    if (decode !== undefined) parts.push(`Decoded by:\n\n${block("json", jsonText(decode))}`);
  }
  for (const problem of each.problems) parts.push(block("text", shown(problem, each, "error")));
  for (const warning of each.warnings) parts.push(block("text", shown(warning, each, "warning")));
  return parts.join("\n");
}

function shown(problem: BuildProblem, { className }: CompiledCase, kind: "error" | "warning"): string {
  return shortened(formatProblem({ ...problem, file: "tools.ts" }, kind).replaceAll(className, "Tools"));
}

/** Cases about limits are long. */
const shortened = (text: string): string =>
  text
    .split("\n")
    .map((line) => (line.length > 400 ? `${line.slice(0, 200)} … ${line.slice(-60)}` : line))
    .join("\n");

/** The name of a group's file. */
export const slug = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");
