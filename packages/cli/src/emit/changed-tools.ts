import type { ToolkitManifest } from "@toolwright/core";

/** What differs between two generated modules, tool by tool: `added`, `removed` or `changed`, e.g. `OrderTools.getOrder (changed)`. */
export function changedTools(before: readonly ToolkitManifest[], after: readonly ToolkitManifest[]): readonly string[] {
  const [old, fresh] = [toolTexts(before), toolTexts(after)];
  const names = [...new Set([...old.keys(), ...fresh.keys()])].sort();
  return names.flatMap((name) => {
    const [was, is] = [old.get(name), fresh.get(name)];
    if (was === is) return [];
    if (was === undefined) return [`${name} (added)`];
    return [`${name} (${is === undefined ? "removed" : "changed"})`];
  });
}

function toolTexts(manifests: readonly ToolkitManifest[]): ReadonlyMap<string, string> {
  return new Map(
    manifests.flatMap(({ className, tools }) => tools.map((tool) => [`${className}.${tool.method}`, JSON.stringify(tool)] as const)),
  );
}
