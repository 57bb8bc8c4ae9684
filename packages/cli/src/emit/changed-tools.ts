import { manifestsIn, outputsIn } from "./generated-module.js";

/** What differs between two generated modules, one by one: `added`, `removed` or `changed`, e.g. `OrderTools.getOrder (changed)`. */
export function changedTools(before: string, after: string): readonly string[] {
  const [old, fresh] = [partTexts(before), partTexts(after)];
  const names = [...new Set([...old.keys(), ...fresh.keys()])].sort();
  return names.flatMap((name) => {
    const [was, is] = [old.get(name), fresh.get(name)];
    if (was === is) return [];
    if (was === undefined) return [`${name} (added)`];
    return [`${name} (${is === undefined ? "removed" : "changed"})`];
  });
}

function partTexts(module: string): ReadonlyMap<string, string> {
  const tools = manifestsIn(module).flatMap(({ className, tools: own }) =>
    own.map((tool) => [`${className}.${tool.method}`, JSON.stringify(tool)] as const),
  );
  return new Map([...tools, ...outputsIn(module).map((output) => [output.className, JSON.stringify(output)] as const)]);
}
