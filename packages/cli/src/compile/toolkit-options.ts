import { constantOf } from "./constant.js";
import type { FoundToolkit } from "./find-toolkits.js";
import type { Project } from "./project.js";
import { apiLimits } from "./schema/limits.js";
import { notConstant } from "./tool-options.js";

/** The prefix that `@Toolkit` gives to the names of tools. */
export function toolkitPrefix({ decorator, name }: FoundToolkit, project: Project): string | undefined {
  const [given] = decorator?.arguments ?? [];
  if (given === undefined) return undefined;
  const options = constantOf(given, project);
  if (typeof options?.value !== "object" || options.value === null) {
    project.error(given, name, notConstant("The options are"));
    return undefined;
  }
  const { prefix } = options.value as { readonly prefix?: unknown };
  if (prefix === undefined) return undefined;
  if (typeof prefix === "string" && apiLimits.name.test(prefix)) return prefix;
  project.error(given, name, { reason: "`prefix` must be letters, digits, _ or -.", fix: 'Write it like `@Toolkit({ prefix: "wx" })`.' });
  return undefined;
}

export function warnOfManyTools({ declaration, name }: FoundToolkit, count: number, project: Project): void {
  if (count <= apiLimits.tools) return;
  project.warn(declaration.name ?? declaration, name, {
    reason: `The class has ${count} tools, and servers refuse requests with more than ${apiLimits.tools}.`,
    fix: "Split the class: models choose well among twenty tools or fewer.",
  });
}
