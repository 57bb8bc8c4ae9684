import { dirname, relative, sep } from "node:path";
import { ts } from "typescript-json-schema";
import { type BuildProblem, orderProblems } from "../problem.js";
import type { ProjectConfig } from "./config.js";

/** What is wrong, where, and the way out. */
export interface ProblemText {
  readonly reason: string;
  readonly fix: string;
}

/** The program of one project with what every part of the compiler asks of it. */
export class Project {
  readonly checker: ts.TypeChecker;
  readonly #errors: BuildProblem[] = [];
  readonly #warnings: BuildProblem[] = [];
  readonly #packageNames = new Map<string, string | undefined>();

  constructor(
    readonly program: ts.Program,
    readonly config: ProjectConfig,
  ) {
    this.checker = program.getTypeChecker();
  }

  error(node: ts.Node, subject: string, text: ProblemText): void {
    this.#errors.push({ ...this.#place(node), subject, ...text });
  }

  warn(node: ts.Node, subject: string, text: ProblemText): void {
    this.#warnings.push({ ...this.#place(node), subject, ...text });
  }

  /** An error that belongs to no node. */
  errorAt(file: ts.SourceFile, start: number, length: number, subject: string, text: ProblemText): void {
    this.#errors.push({ ...this.#placeAt(file, start, start + length), subject, ...text });
  }

  get errors(): readonly BuildProblem[] {
    return orderProblems(this.#errors);
  }

  get warnings(): readonly BuildProblem[] {
    return orderProblems(this.#warnings);
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
    return (
      this.isEditable(file) && (file.fileName.startsWith(`${this.config.directory}/`) || this.config.rootNames.includes(file.fileName))
    );
  }

  /** Whether the author can change a file: their own source, or that of a neighbour in the workspace. */
  isEditable(file: ts.SourceFile): boolean {
    return !file.isDeclarationFile && !this.program.isSourceFileFromExternalLibrary(file);
  }

  /** The npm name of the package that a node is declared in. */
  packageOf(node: ts.Node): string | undefined {
    return this.#packageName(dirname(node.getSourceFile().fileName));
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

  #packageName(directory: string): string | undefined {
    if (this.#packageNames.has(directory)) return this.#packageNames.get(directory);
    const text = ts.sys.readFile(`${directory}/package.json`);
    const own = text === undefined ? undefined : nameIn(text);
    const parent = dirname(directory);
    const name = own ?? (parent === directory ? undefined : this.#packageName(parent));
    this.#packageNames.set(directory, name);
    return name;
  }

  #place(node: ts.Node): Pick<BuildProblem, "file" | "line" | "column" | "excerpt"> {
    const file = node.getSourceFile();
    return this.#placeAt(file, node.getStart(file), node.getEnd());
  }

  #placeAt(file: ts.SourceFile, start: number, end: number): Pick<BuildProblem, "file" | "line" | "column" | "excerpt"> {
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
