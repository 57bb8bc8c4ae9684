import { ToolwrightError } from "@toolwright/core";
import { buildProject } from "../src/build-project.js";
import type { BuildOptions, BuildResult } from "../src/build-result.js";

/** A file with one tool, of which nothing is to be remarked. */
export const orderTools = `import { Param, Tool } from "@toolwright/core";
export class OrderTools {
  /** Gets one order with all of its lines. */
  @Tool({ effect: "read" })
  getOrder(@Param("Id of the order, e.g. A-17.") orderId: string): string { return orderId; }
}
`;

/** Where a project's module goes when nothing says otherwise. */
export const usualModule = "src/toolwright.generated.ts";

/** Builds without what a build before has left. */
export const build = (directory: string, options: BuildOptions = {}): Promise<BuildResult> =>
  buildProject({ cwd: directory, cache: false, ...options });

/** The error that keeps a build from starting. */
export async function failureOf(action: Promise<unknown>): Promise<ToolwrightError> {
  const error: unknown = await action.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (ToolwrightError.is(error, "BUILD_CONFIG")) return error;
  throw new Error("It did not fail as it should.", { cause: error });
}
