import { dirname, relative, sep } from "node:path";
import { ts } from "typescript-json-schema";
import type { BuildProblem, Place } from "../problem.js";
import type { WarningCode } from "../warnings.js";
import type { ProjectConfig } from "./config.js";
import type { SeenValidator } from "./rules/seen-validators.js";

/** What is wrong, where, and the way out. */
export interface ProblemText {
  readonly reason: string;
  readonly fix: string;
}

/** The same of a warning. */
export interface WarningText extends ProblemText {
  readonly code: WarningCode;
}

/** The nearest folder above a file whose package.json has a name; the topmost one when there is none. */
export interface PackageFolder {
  readonly name: string | undefined;
  readonly folder: string;
}

/** What was said while a part of the compiler worked. */
export interface Remarks {
  readonly errors: readonly BuildProblem[];
  readonly warnings: readonly BuildProblem[];
}

/** The program of one project with what every part of the compiler asks of it. */
export class Project {
  readonly checker: ts.TypeChecker;
  /** Files that were read beside the program's own. */
  readonly inputs = new Set<string>();
  readonly #seen = new Map<ts.ClassDeclaration, Set<ts.Decorator>>();
  #validators: SeenValidator[] = [];
  readonly #reached = new Set<ts.SourceFile>();
  #errors: BuildProblem[] = [];
  #warnings: BuildProblem[] = [];
  readonly #packages = new Map<string, PackageFolder>();
  readonly #rootNames: ReadonlySet<string>;
  readonly #libraryFiles = new Map<ts.SourceFile, boolean>();

  constructor(
    readonly program: ts.Program,
    readonly config: ProjectConfig,
  ) {
    this.checker = program.getTypeChecker();
    this.#rootNames = new Set(config.rootNames);
  }

  error(node: ts.Node, subject: string, text: ProblemText): void {
    this.#errors.push({ ...this.place(node), subject, ...text });
  }

  warn(node: ts.Node, subject: string, text: WarningText): void {
    this.#warnings.push({ ...this.place(node), subject, ...text });
  }

  /** An error at a place that is known already. */
  errorIn(place: Place, subject: string, text: ProblemText): void {
    this.#errors.push({ ...place, subject, ...text });
  }

  /** An error that belongs to no node. */
  errorAt(file: ts.SourceFile, start: number, length: number, subject: string, text: ProblemText): void {
    this.#errors.push({ ...this.#placeAt(file, start, start + length), subject, ...text });
  }

  /** Remembers a decorator of class-validator on a class; many tools come upon the same one. */
  saw(decorator: ts.Decorator, owner: ts.ClassDeclaration, describe: () => SeenValidator): void {
    const seen = this.#seen.get(owner) ?? new Set();
    if (seen.has(decorator)) return;
    this.#seen.set(owner, seen.add(decorator));
    this.#validators.push(describe());
  }

  /** The decorators seen since this was last asked. */
  takeValidators(): readonly SeenValidator[] {
    const seen = this.#validators;
    this.#validators = [];
    return seen;
  }

  /** Runs a part and hands back what was said meanwhile. */
  remarksOf<Result>(part: () => Result): { readonly result: Result; readonly remarks: Remarks } {
    const [errors, warnings] = [this.#errors, this.#warnings];
    this.#errors = [];
    this.#warnings = [];
    try {
      const result = part();
      return { result, remarks: { errors: this.#errors, warnings: this.#warnings } };
    } finally {
      this.#errors = errors;
      this.#warnings = warnings;
    }
  }

  /** Remembers where a type that is read is declared. */
  reach(symbol: ts.Symbol | undefined): void {
    for (const declaration of symbol?.declarations ?? []) this.#reached.add(declaration.getSourceFile());
  }

  /** The files of types that were read since this was last asked. */
  takeReached(): readonly string[] {
    const names = [...this.#reached].map(({ fileName }) => fileName);
    this.#reached.clear();
    return names;
  }

  /** How often an error was reported so far: tells a part whether anything below it failed. */
  get errorCount(): number {
    return this.#errors.length;
  }

  /** The path of a file from the project's folder, with `/`. */
  relativePath(file: string): string {
    return relative(this.config.directory, file).split(sep).join("/");
  }

  /** Whether a file is the project's own source: tools are looked for there. */
  isOwnSource(file: ts.SourceFile): boolean {
    if (!this.isEditable(file)) return false;
    if (this.#rootNames.has(file.fileName)) return true;
    // A package of the workspace below the project's folder is a neighbour all the same.
    const isBelow = file.fileName.startsWith(`${this.config.directory}/`);
    return isBelow && this.#package(dirname(file.fileName)).folder === this.#package(this.config.directory).folder;
  }

  /** Whether the author can change a file: their own source, or that of a neighbour in the workspace. */
  isEditable(file: ts.SourceFile): boolean {
    return !file.isDeclarationFile && !this.program.isSourceFileFromExternalLibrary(file);
  }

  /** Whether a file comes with TypeScript itself. */
  isLibrary(file: ts.SourceFile): boolean {
    const known = this.#libraryFiles.get(file) ?? this.program.isSourceFileDefaultLibrary(file);
    this.#libraryFiles.set(file, known);
    return known;
  }

  /** The npm name of the package that a node is declared in. */
  packageOf(node: ts.Node): string | undefined {
    return this.packageOfFile(node.getSourceFile()).name;
  }

  /** The package that a file is in. */
  packageOfFile({ fileName }: Pick<ts.SourceFile, "fileName">): PackageFolder {
    return this.#package(fileName.slice(0, fileName.lastIndexOf("/")));
  }

  /** Whether a symbol is declared by a package, e.g. `Tool` by `@toolwright/core`. */
  isFrom(symbol: ts.Symbol | undefined, packageName: string): boolean {
    return symbol?.declarations?.some((declaration) => this.packageOf(declaration) === packageName) ?? false;
  }

  /** The symbol that an expression names, imports and re-exports followed. */
  symbolOf(node: ts.Node): ts.Symbol | undefined {
    const symbol = this.checker.getSymbolAtLocation(node);
    return symbol === undefined ? undefined : this.resolve(symbol);
  }

  resolve(symbol: ts.Symbol): ts.Symbol {
    return symbol.flags & ts.SymbolFlags.Alias ? this.checker.getAliasedSymbol(symbol) : symbol;
  }

  place(node: ts.Node): Place {
    const file = node.getSourceFile();
    return this.#placeAt(file, node.getStart(file), node.getEnd());
  }

  #package(directory: string): PackageFolder {
    const known = this.#packages.get(directory);
    if (known !== undefined) return known;
    const text = ts.sys.readFile(`${directory}/package.json`);
    const name = text === undefined ? undefined : nameIn(text);
    const parent = dirname(directory);
    // A package.json without a name only says which kind the modules below it are.
    const found = name !== undefined || parent === directory ? { name, folder: directory } : this.#package(parent);
    this.#packages.set(directory, found);
    return found;
  }

  #placeAt(file: ts.SourceFile, start: number, end: number): Place {
    const { line, character } = file.getLineAndCharacterOfPosition(start);
    const lineStart = file.getPositionOfLineAndCharacter(line, 0);
    const text = file.text.slice(lineStart).split(/\r?\n/, 1)[0] ?? "";
    const length = Math.min(end - start, text.length - character);
    return { file: this.relativePath(file.fileName), line: line + 1, column: character + 1, excerpt: { text, start: character, length } };
  }
}

function nameIn(text: string): string | undefined {
  try {
    const { name } = JSON.parse(text) as { name?: unknown };
    return typeof name === "string" ? name : undefined;
  } catch {
    return undefined;
  }
}
