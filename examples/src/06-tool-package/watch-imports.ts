import { registerHooks } from "node:module";

/** The packages of these whose code has been imported; it grows as they are. */
export function watchImports(names: readonly string[]): ReadonlySet<string> {
  const imported = new Set<string>();
  registerHooks({
    load(url, context, nextLoad) {
      // In this workspace a package is a link to its folder, which has the last part of its name.
      const name = names.find((candidate) => url.includes(`/${candidate.split("/").at(-1)}/`));
      if (name !== undefined) imported.add(name);
      return nextLoad(url, context);
    },
  });
  return imported;
}
