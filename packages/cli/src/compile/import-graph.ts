import type { ts } from "typescript-json-schema";

/** Which file imports which, to know what a change can reach. */
export class ImportGraph {
  // By the file itself: one that was read again has imports of its own.
  readonly #imports = new WeakMap<ts.SourceFile, readonly string[]>();

  /** The changed files and all that import them, directly or through others. */
  reachedFrom(changed: ReadonlySet<string>, program: ts.Program): ReadonlySet<string> {
    const importers = new Map<string, string[]>();
    for (const file of program.getSourceFiles()) {
      for (const fileName of this.#importsOf(file, program)) {
        const known = importers.get(fileName);
        if (known === undefined) importers.set(fileName, [file.fileName]);
        else known.push(file.fileName);
      }
    }
    const reached = new Set<string>();
    const open = [...changed];
    for (let name = open.pop(); name !== undefined; name = open.pop()) {
      if (reached.has(name)) continue;
      reached.add(name);
      open.push(...(importers.get(name) ?? []));
    }
    return reached;
  }

  #importsOf(file: ts.SourceFile, program: ts.Program): readonly string[] {
    const known = this.#imports.get(file);
    if (known !== undefined) return known;
    const checker = program.getTypeChecker();
    // The parser's own list of module names, those in `import("…")` types included.
    const names = (file as { imports?: readonly ts.StringLiteralLike[] }).imports ?? [];
    const declarations = names.flatMap((name) => checker.getSymbolAtLocation(name)?.declarations ?? []);
    const found = declarations.map((declaration) => declaration.getSourceFile().fileName);
    this.#imports.set(file, found);
    return found;
  }
}

/** Whether a change of a file can concern others that do not import it: it declares global names, or adds to other modules. */
export function isGlobal(file: ts.SourceFile): boolean {
  const { moduleAugmentations = [], externalModuleIndicator } = file as {
    moduleAugmentations?: readonly unknown[];
    externalModuleIndicator?: unknown;
  };
  return externalModuleIndicator === undefined || moduleAugmentations.length > 0;
}
