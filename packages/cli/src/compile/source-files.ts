import { statSync } from "node:fs";
import { ts } from "typescript-json-schema";

/** The files that come with TypeScript never change, and are most of what a small project reads: every program takes the same. */
const libraries = new Map<string, ts.SourceFile>();

/** The parsed files of a project, kept from build to build: only what changed is read again. */
export class SourceFiles {
  readonly #files = new Map<string, { readonly mark: string; readonly file: ts.SourceFile }>();

  #generated: ts.SourceFile | undefined;

  /** Forgets what has changed on disk since it was read. */
  refresh(): void {
    for (const [name, { mark, file }] of this.#files) {
      const now = markOf(name);
      if (now === mark) continue;
      // Saved without a change, e.g. by a formatter.
      if (now !== undefined && ts.sys.readFile(name) === file.text) this.#files.set(name, { mark: now, file });
      else this.#files.delete(name);
    }
  }

  /** @param generated - the module that the build writes. What is in it, or is left of it, must not matter to the next build. */
  host(options: ts.CompilerOptions, generated: string): ts.CompilerHost {
    const host = ts.createCompilerHost(options);
    const folder = host.getDefaultLibLocation?.();
    const read = host.getSourceFile.bind(host);
    host.getSourceFile = (name, given, ...rest) => {
      if (name === generated) return this.#empty(name, given);
      const isLibrary = folder !== undefined && name.startsWith(folder);
      const known = isLibrary ? libraries.get(name) : this.#files.get(name)?.file;
      if (known !== undefined) return known;
      // Before reading: a change between the two is then found at the next build.
      const mark = isLibrary ? "" : markOf(name);
      const file = read(name, isLibrary || noData.test(name) ? withoutComments(given) : given, ...rest);
      if (file !== undefined && isLibrary) libraries.set(name, file);
      else if (file !== undefined && mark !== undefined) this.#files.set(name, { mark, file });
      return file;
    };
    // Projects that are referred to are read from their sources, built or not.
    return Object.assign(host, { useSourceOfProjectReferenceRedirect: () => true });
  }

  #empty(name: string, options: ts.ScriptTarget | ts.CreateSourceFileOptions): ts.SourceFile {
    const file = this.#generated?.fileName === name ? this.#generated : ts.createSourceFile(name, "export {};", options);
    this.#generated = file;
    return file;
  }
}

/** Packages whose types no argument has; class-validator's are read for the names of its decorators. */
const noData = /\/node_modules\/(@types|class-transformer|class-validator|libphonenumber-js|openai|validator)\//;

/** Nobody asks for the doc comments of such files, and they are a good part of them. */
const withoutComments = (given: ts.ScriptTarget | ts.CreateSourceFileOptions): ts.CreateSourceFileOptions => ({
  ...(typeof given === "object" ? given : { languageVersion: given }),
  jsDocParsingMode: ts.JSDocParsingMode.ParseNone,
});

function markOf(name: string): string | undefined {
  const stat = statSync(name, { throwIfNoEntry: false });
  return stat === undefined ? undefined : `${stat.size}:${stat.mtimeMs}`;
}
