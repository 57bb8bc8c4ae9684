import { existsSync, readFileSync } from "node:fs";
import { dirname, resolve, sep } from "node:path";
import { ToolwrightError } from "@toolwright/core";
import { findConfig } from "./find-config.js";
import { readWarningLevels } from "./warning-levels.js";
import type { WarningLevels } from "./warnings.js";

/** One project to build. Paths are absolute, with `/`. */
export interface ProjectToBuild {
  readonly configPath: string;
  /** The module to write; undefined for the usual place. */
  readonly out: string | undefined;
  /** What becomes of warnings. */
  readonly warnings: WarningLevels;
}

/** What a package says about its builds: `"toolwright"` in its package.json, or toolwright.config.json beside that. */
interface Settings {
  readonly projects: readonly string[] | undefined;
  readonly out: string | undefined;
  readonly warnings: WarningLevels;
}

const fileName = "toolwright.config.json";

/**
 * The projects that a command means: those that it names, or else those of the package's settings, or else the
 * tsconfig.json of the folder.
 *
 * @throws ToolwrightError `BUILD_CONFIG` when settings are wrong or a project is not there.
 */
export function projectsToBuild(given: string | readonly string[] | undefined, cwd: string): readonly ProjectToBuild[] {
  const named = typeof given === "string" ? [given] : given;
  const common = named === undefined || named.length === 0 ? settingsOf(cwd) : undefined;
  const configs =
    named === undefined || named.length === 0
      ? (common?.projects ?? [findConfig(undefined, cwd)])
      : named.map((project) => findConfig(project, cwd));
  return [...new Set(configs)].map((configPath) => ({
    configPath,
    out: outOf(configPath),
    // The top of a workspace speaks for its packages, and each of them for itself.
    warnings: { ...common?.warnings, ...settingsOf(dirname(configPath))?.warnings },
  }));
}

/** The place for the module of a project, when its package names one for it. */
function outOf(configPath: string): string | undefined {
  const folder = packageFolder(dirname(configPath));
  const settings = settingsOf(dirname(configPath));
  if (folder === undefined || settings?.out === undefined) return undefined;
  const own = settings.projects ?? [`${folder}/tsconfig.json`];
  return own.includes(configPath) ? settings.out : undefined;
}

function settingsOf(directory: string): Settings | undefined {
  const folder = packageFolder(directory);
  if (folder === undefined) return undefined;
  const inPackage = read(`${folder}/package.json`)?.["toolwright"];
  const inFile = read(`${folder}/${fileName}`);
  if (inPackage !== undefined && inFile !== undefined)
    throw wrong(`Both package.json ("toolwright") and ${fileName} have settings.`, "Keep one of them.");
  if (inFile !== undefined) return checked(inFile, fileName, folder);
  return inPackage === undefined ? undefined : checked(inPackage, 'package.json ("toolwright")', folder);
}

/** The nearest folder that has a package.json or settings of its own. */
function packageFolder(directory: string): string | undefined {
  const start = resolve(directory).split(sep).join("/");
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(`${folder}/package.json`) || existsSync(`${folder}/${fileName}`)) return folder;
    if (dirname(folder) === folder) return undefined;
  }
}

function read(path: string): Record<string, unknown> | undefined {
  if (!existsSync(path)) return undefined;
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>;
  } catch {
    const name = path.slice(path.lastIndexOf("/") + 1);
    throw wrong(`${name} is not JSON.`, `Correct the ${name}.`);
  }
}

function checked(given: unknown, source: string, folder: string): Settings {
  if (typeof given !== "object" || given === null || Array.isArray(given))
    throw wrong(`${source} must be an object.`, 'Write it like { "project": "tsconfig.app.json" }.');
  const { project, out, warnings, ...unknown } = given as Record<string, unknown>;
  const [extra] = Object.keys(unknown);
  if (extra !== undefined) throw wrong(`${source} has an unknown setting "${extra}".`, 'The settings are "project", "out" and "warnings".');
  const projects = textsOf(project, source);
  if (out !== undefined && !(typeof out === "string" && /\.[cm]?ts$/.test(out) && !out.endsWith(".d.ts")))
    throw wrong(`${source}: "out" must be the path of a .ts file.`, 'Write it like "src/generated/tools.ts".');
  if (out !== undefined && projects !== undefined && projects.length > 1)
    throw wrong(`${source} names several projects and one "out".`, 'Leave "out" out, or set it in the package.json of each project.');
  return {
    projects: projects?.map((path) => findConfig(path, folder)),
    out:
      out === undefined
        ? undefined
        : resolve(folder, out as string)
            .split(sep)
            .join("/"),
    warnings: readWarningLevels(warnings, source),
  };
}

function textsOf(project: unknown, source: string): readonly string[] | undefined {
  if (project === undefined) return undefined;
  const list: readonly unknown[] = Array.isArray(project) ? project : [project];
  if (list.length > 0 && list.every((each): each is string => typeof each === "string" && each !== "")) return list;
  throw wrong(`${source}: "project" must be the path of a tsconfig, or several.`, 'Write it like "tsconfig.app.json".');
}

const wrong = (message: string, fix: string): ToolwrightError => new ToolwrightError("BUILD_CONFIG", message, { fix });
