import { ts } from "typescript-json-schema";
import type { BuildProblem } from "../problem.js";
import { corePackage } from "./decorators.js";
import { ImportGraph, isGlobal } from "./import-graph.js";
import type { JoinedUnits } from "./join-units.js";
import type { Project, Remarks } from "./project.js";

/**
 * What is said of a project, with syntax errors first: a file that does not parse may have lost a tool or a part of a type,
 * so what else is said of it may only come of that. Where no tool reaches, such errors are not ours to report.
 */
export function withSyntaxProblems(joined: JoinedUnits, project: Project): Remarks {
  const broken = project.program.getSourceFiles().filter((file) => project.isEditable(file) && problemsIn(file, project).length > 0);
  if (broken.length === 0) return joined;
  const concerned = broken.filter(isConcerned(joined, project));
  const { remarks } = project.remarksOf(() => {
    for (const file of concerned) report(file, project);
  });
  const names = new Set(concerned.map(({ fileName }) => project.relativePath(fileName)));
  const isElsewhere = ({ file }: BuildProblem): boolean => !names.has(file);
  return {
    errors: [...remarks.errors, ...joined.errors.filter(isElsewhere)],
    warnings: joined.warnings.filter(isElsewhere),
  };
}

/** One for each line: others on it mostly come of the first. */
function report(file: ts.SourceFile, project: Project): void {
  const lines = new Set<number>();
  for (const { start, length, messageText } of problemsIn(file, project).toSorted((one, other) => one.start - other.start)) {
    const { line } = file.getLineAndCharacterOfPosition(start);
    if (lines.has(line)) continue;
    lines.add(line);
    const reason = ts.flattenDiagnosticMessageText(messageText, " ");
    project.errorAt(file, start, length, "Syntax", { reason, fix: "Correct the syntax: until then it is not certain what the file says." });
  }
}

function isConcerned({ sources, toolkits, outputs, errors }: JoinedUnits, project: Project): (file: ts.SourceFile) => boolean {
  // Without any tool, one may be where nobody could see it.
  if (toolkits.length + outputs.length === 0 && errors.length === 0) return () => true;
  const isTools = ({ text }: ts.SourceFile): boolean => text.includes(corePackage);
  if (errors.length === 0) return (file) => isTools(file) || sources.has(file.fileName);
  // What could not be resolved may be in any file that one with tools imports.
  const graph = new ImportGraph();
  return (file) => {
    // One that breaks before its first export is no module, so nothing seems to import it.
    if (isGlobal(file)) return true;
    const importers = graph.reachedFrom(new Set([file.fileName]), project.program);
    return project.program.getSourceFiles().some((each) => importers.has(each.fileName) && isTools(each));
  };
}

const problemsIn = (file: ts.SourceFile, { program }: Project): readonly ts.DiagnosticWithLocation[] =>
  program.getSyntacticDiagnostics(file);
