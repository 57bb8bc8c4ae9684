import { constantOf } from "./constant.js";
import type { FoundToolkit } from "./find-toolkits.js";
import type { Project } from "./project.js";
import { apiLimits } from "./schema/limits.js";
import { notConstant } from "./tool-options.js";

/** The prefix that `@Toolkit` gives to the names of tools. */
export function toolkitPrefix({ decorator, name }: FoundToolkit, project: Project): string | undefined {
  if (decorator === undefined) return undefined;
  if (decorator.arguments === undefined) {
    project.error(decorator.node, name, {
      reason: "@Toolkit is written without parentheses, so it gets the class in place of its options.",
      fix: 'Write `@Toolkit({ prefix: "…" })`.',
    });
  }
  const [given] = decorator.arguments ?? [];
  if (given === undefined) return undefined;
  const options = constantOf(given, project);
  if (typeof options?.value !== "object" || options.value === null) {
    project.error(given, name, notConstant("The options are"));
    return undefined;
  }
  const { prefix, ...others } = options.value as { readonly prefix?: unknown };
  const [unknown] = Object.keys(others);
  const fix = 'Write it like `@Toolkit({ prefix: "wx" })`.';
  if (unknown !== undefined)
    project.error(given, name, { reason: `@Toolkit has no option \`${unknown}\`; its only one is \`prefix\`.`, fix });
  if (prefix === undefined) return undefined;
  if (typeof prefix === "string" && apiLimits.name.test(prefix)) return prefix;
  project.error(given, name, { reason: "`prefix` must be letters, digits, _ or -.", fix });
  return undefined;
}

export function warnOfManyTools({ declaration, name }: FoundToolkit, count: number, project: Project): void {
  if (count <= apiLimits.tools) return;
  project.warn(declaration.name ?? declaration, name, {
    code: "BUILD_MANY_TOOLS",
    reason: `The class has ${count} tools, and servers refuse requests with more than ${apiLimits.tools}.`,
    fix: "Split the class: models choose well among twenty tools or fewer.",
  });
}
