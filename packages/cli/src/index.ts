export { type BuildOptions, type BuildResult, type BuiltFile, buildProject } from "./build-project.js";
export { type Output, runCommand } from "./cli.js";
export { type BuildProblem, type Excerpt, formatProblem } from "./problem.js";
