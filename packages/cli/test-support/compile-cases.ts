import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ToolManifest } from "@toolwright/core";
import { buildProject } from "../src/build-project.js";
import type { BuildProblem } from "../src/problem.js";
import { manifestsIn } from "../src/emit/generated-module.js";
import { temporaryProject } from "./temporary-project.js";

/** A tool of the type matrix, as an author writes it. */
export interface Case {
  /** Declarations above the class; may import more than the usual. */
  readonly types?: string | undefined;
  /** The method, e.g. `run(query: Query): void {}`, or with decorators of its own. */
  readonly method: string;
}

/** What the build makes of a case. */
export interface CompiledCase {
  readonly tool: ToolManifest | undefined;
  readonly problems: readonly BuildProblem[];
  readonly warnings: readonly BuildProblem[];
}

const imports = `import { Param, Tool, Toolkit, type ToolContext, type ToolOutcome } from "@toolwright/core";
import * as v from "class-validator";
import { Type } from "class-transformer";
`;

const fileOf = (index: number): string => `case-${index}.ts`;

function sourceOf({ types = "", method }: Case, index: number): string {
  const decorated = method.includes("@Tool")
    ? method
    : `/** Does what this case of the matrix is about. */\n  @Tool({ effect: "read" })\n  ${method}`;
  return `${imports}${types}\nexport class Case${index} {\n  ${decorated}\n}\n`;
}

/** Compiles all cases in one project, each in a file of its own. */
export async function compileCases<Title extends string>(
  cases: Readonly<Record<Title, Case>>,
): Promise<Readonly<Record<Title, CompiledCase>>> {
  const titles = Object.keys(cases) as Title[];
  const files = Object.fromEntries(titles.map((title, index) => [`src/${fileOf(index)}`, sourceOf(cases[title], index)]));
  using project = temporaryProject(files);
  const { ok, problems, warnings } = await buildProject({ cwd: project.directory, cache: false });
  const manifests = ok ? manifestsIn(readFileSync(join(project.directory, "src/toolwright.generated.ts"), "utf8")) : [];
  const compiled = titles.map((title, index): [Title, CompiledCase] => {
    const isHere = ({ file }: BuildProblem): boolean => file === `src/${fileOf(index)}`;
    const tool = manifests.find(({ className }) => className === `Case${index}`)?.tools[0];
    return [title, { tool, problems: problems.filter(isHere), warnings: warnings.filter(isHere) }];
  });
  return Object.fromEntries(compiled) as Record<Title, CompiledCase>;
}
