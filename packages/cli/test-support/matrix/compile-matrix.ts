import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ToolManifest } from "@toolwright/core";
import { buildProject } from "../../src/build-project.js";
import { manifestsIn } from "../../src/emit/generated-module.js";
import type { BuildProblem } from "../../src/problem.js";
import { temporaryProject } from "../temporary-project.js";
import type { MatrixCase, MatrixGroup } from "./case.js";

/** A case with what the build makes of it. */
export interface CompiledCase extends MatrixCase {
  /** Its class, the same in the source and in what is said of it. */
  readonly className: string;
  /** The file that it stands in. */
  readonly file: string;
  readonly source: string;
  readonly tool: ToolManifest | undefined;
  readonly problems: readonly BuildProblem[];
  /** Without those that only say that there is no description. */
  readonly warnings: readonly BuildProblem[];
}

export interface CompiledGroup {
  readonly title: string;
  readonly cases: readonly CompiledCase[];
}

const imports = 'import { Tool, type ToolContext } from "@toolwright/core";\nimport * as v from "class-validator";\n';

/** The method of a case, as its author writes it. */
export const methodOf = ({ parameters }: MatrixCase): string =>
  `run${parameters.startsWith("<") ? parameters : `(${parameters})`}: void {}`;

function sourceOf(each: MatrixCase, className: string): string {
  const types = each.types === "" ? "" : `${each.types}\n`;
  const described = '/** Takes what this case is about, no more. */\n  @Tool({ effect: "read" })';
  return `${imports}${types}export class ${className} {\n  ${described}\n  ${methodOf(each)}\n}\n`;
}

/** Compiles all cases in one project, each in a file of its own. */
export async function compileMatrix(groups: readonly MatrixGroup[]): Promise<readonly CompiledGroup[]> {
  const numbered = groups.map((group, at) => ({
    ...group,
    cases: group.cases.map((each, index) => {
      const className = `Case${at + 1}N${index + 1}`;
      return { ...each, className, file: `src/case-${at + 1}-${index + 1}.ts`, source: sourceOf(each, className) };
    }),
  }));
  const all = numbered.flatMap(({ cases }) => cases);
  using project = temporaryProject(Object.fromEntries(all.map(({ file, source }) => [file, source])));
  const { ok, problems, warnings } = await buildProject({ cwd: project.directory, cache: false });
  const manifests = ok ? manifestsIn(readFileSync(join(project.directory, "src/toolwright.generated.ts"), "utf8")) : [];
  return numbered.map(({ title, cases }) => ({
    title,
    cases: cases.map((each) => ({
      ...each,
      tool: manifests.find(({ className }) => className === each.className)?.tools[0],
      problems: problems.filter(({ file }) => file === each.file),
      warnings: warnings.filter(
        ({ file, reason }) => file === each.file && !reason.includes("has no description") && !reason.includes("for the model too"),
      ),
    })),
  }));
}
