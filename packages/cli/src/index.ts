export { buildProject } from "./build-project.js";
export type { BuildOptions, BuildResult, BuiltFile } from "./build-result.js";
export { BuildSession } from "./build-session.js";
export { runCommand } from "./cli.js";
export type { Output } from "./commands/output.js";
export { findDefinition, type FoundDefinition } from "./find-definition.js";
export { type BuildProblem, type Excerpt, formatProblem } from "./problem.js";
export { watchProject, type WatchOptions } from "./watch-project.js";
