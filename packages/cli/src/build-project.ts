import type { BuildOptions, BuildResult } from "./build-result.js";
import { BuildSession } from "./build-session.js";

/**
 * Reads the tool and output classes of one or several projects and writes `toolwright.generated.ts` (and, in a tool
 * package, `toolwright.manifest.json`). With problems, nothing is written. The projects' code is not run, but by `audit`.
 *
 * @throws ToolwrightError `BUILD_CONFIG` when the build cannot start: no tsconfig, no tools, wrong settings.
 */
export function buildProject(options: BuildOptions = {}): Promise<BuildResult> {
  return new BuildSession(options).build();
}
