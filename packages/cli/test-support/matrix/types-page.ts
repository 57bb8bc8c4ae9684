import type { CompiledCase, CompiledGroup } from "./compile-matrix.js";
import { decodedInWords, schemaInWords } from "./in-words.js";

const head = `# Types

Every kind of type that a tool's parameter may have, what the model is asked for, and what the method gets; then every
kind that the build refuses, why, and what to write instead. This page is written from the compiler's own tests: each row
was compiled.

Every property is required for the model. What may be left out in TypeScript may be null for the model, and is **absent**
for the method, so that defaults apply; a \`null\` that the type declares stays null. What a strict schema cannot say
exactly stops the build, with the place, the reason and a way out.
`;

/** The page of all accepted and refused types. */
export function typesPage(accepted: readonly CompiledGroup[], refused: readonly CompiledGroup[]): string {
  return [
    head,
    "## Accepted\n",
    ...accepted.map((group) => table(group, ["", "you write", "the model gives", "the method gets"], acceptedCells)),
    "## Refused\n",
    ...refused.map((group) => table(group, ["", "you write", "why not", "instead"], refusedCells)),
  ].join("\n");
}

function table({ title, cases }: CompiledGroup, columns: readonly string[], cells: (each: CompiledCase) => readonly string[]): string {
  const rows = cases.map((each) => [each.title, code(each), ...cells(each)]);
  const lines = [columns, columns.map(() => "---"), ...rows].map((row) => `| ${row.map(escaped).join(" | ")} |`);
  return `### ${title}\n\n${lines.join("\n")}\n`;
}

function acceptedCells({ tool }: CompiledCase): readonly string[] {
  return tool === undefined ? ["", ""] : [schemaInWords(tool.parameters), decodedInWords(tool)];
}

function refusedCells({ problems }: CompiledCase): readonly string[] {
  const distinct = (texts: readonly string[]): string => [...new Set(texts)].join(" ");
  return [distinct(problems.map(({ reason }) => reason)), distinct(problems.map(({ fix }) => fix))];
}

/** On one line, as it was written; what is long is cut. */
function code({ types, parameters }: CompiledCase): string {
  const text = [types, `(${parameters})`]
    .filter((part) => part !== "")
    .join(" ")
    .replaceAll(/\s+/g, " ");
  const shown = text.length > 300 ? `${text.slice(0, 120)} … ${text.slice(-40)}` : text;
  // A code span that has backticks needs longer ones around it.
  return shown.includes("`") ? `\`\` ${shown} \`\`` : `\`${shown}\``;
}

const escaped = (cell: string): string => cell.replaceAll("|", String.raw`\|`).replaceAll("\n", " ");
