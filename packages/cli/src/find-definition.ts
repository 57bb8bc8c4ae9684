import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { BuildSession } from "./build-session.js";
import { readCache } from "./cache.js";
import { nearestNames } from "./nearest-names.js";
import type { BuildProblem } from "./problem.js";
import { type ProjectToBuild, projectsToBuild } from "./settings.js";

/** What a search for a tool or an output found. */
export type FoundDefinition =
  /** The very object that an agent sends, and whose it is, e.g. `OrderTools.getOrder`. */
  | { readonly owner: string; readonly definition: object }
  | { readonly problems: readonly BuildProblem[] }
  | { readonly message: string; readonly fix: string };

interface Candidate {
  readonly owner: string;
  /** All that it can be called by. */
  readonly names: readonly string[];
  readonly definition: object;
}

/**
 * Finds what the model sees of a tool or an output. Nothing is written.
 *
 * @param name - the model's name, a method, `Class.method`, or the class of an output.
 * @throws ToolwrightError `BUILD_CONFIG` when the build cannot start.
 */
export async function findDefinition(
  name: string,
  { project, cwd = process.cwd() }: { readonly project?: string | readonly string[] | undefined; readonly cwd?: string | undefined },
): Promise<FoundDefinition> {
  const session = new BuildSession({ project, cwd });
  const candidates: Candidate[] = [];
  for (const each of projectsToBuild(project, cwd)) {
    const text = moduleOf(each) ?? (await moduleMadeNow(each, session));
    if (typeof text !== "string") return { problems: text };
    candidates.push(...(await candidatesIn(text)));
  }
  const found = candidates.filter(({ names }) => names.includes(name));
  const [only, other] = found;
  if (only === undefined) return unknown(name, candidates);
  if (other === undefined) return { owner: only.owner, definition: only.definition };
  return {
    message: `"${name}" can mean ${found.map(({ owner }) => owner).join(" or ")}.`,
    fix: `Write the class too, e.g. \`toolwright schema ${only.owner}\`.`,
  };
}

/** The module that is there, when it is what a build would write. */
function moduleOf(project: ProjectToBuild): string | undefined {
  const [path] = readCache(project)?.files ?? [];
  return path === undefined ? undefined : readFileSync(join(dirname(project.configPath), path), "utf8");
}

async function moduleMadeNow(project: ProjectToBuild, session: BuildSession): Promise<string | readonly BuildProblem[]> {
  const { errors, files } = await session.outputs(project);
  return errors.length > 0 ? session.placed(project, errors) : (files[0]?.text ?? "");
}

async function candidatesIn(module: string): Promise<readonly Candidate[]> {
  const { manifestsIn, outputsIn } = await import("./emit/generated-module.js");
  const tools = manifestsIn(module).flatMap(({ className, tools: own }) =>
    own.map(({ name, method, description, parameters }) => ({
      owner: `${className}.${method}`,
      names: [name, method, `${className}.${method}`],
      definition: { type: "function", name, description, parameters, strict: true },
    })),
  );
  const outputs = outputsIn(module).map(({ className, name, description, schema }) => ({
    owner: className,
    names: [className, name],
    definition: { type: "json_schema", name, description, schema, strict: true },
  }));
  return [...tools, ...outputs];
}

function unknown(name: string, candidates: readonly Candidate[]): FoundDefinition {
  const names = [...new Set(candidates.map(({ names: [first = ""] }) => first))];
  // Of the names of one tool only the nearest.
  const near = nearestNames(
    name,
    candidates.flatMap((candidate) => nearestNames(name, candidate.names).slice(0, 1)),
  );
  return {
    message: `There is no tool or output "${name}".`,
    fix: near.length > 0 ? `Did you mean ${near.join(" or ")}?` : `There ${names.length === 1 ? "is" : "are"} ${names.join(", ")}.`,
  };
}
