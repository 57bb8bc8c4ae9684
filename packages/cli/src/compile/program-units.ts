import type { ts } from "typescript-json-schema";
import type { ProjectConfig } from "./config.js";
import { ImportGraph, isGlobal } from "./import-graph.js";
import { createProgram } from "./program.js";
import { Project } from "./project.js";
import type { SourceFiles } from "./source-files.js";
import { type CompiledUnit, compileUnit } from "./unit.js";

/** The units of one kind of program, kept from build to build: those that a change does not reach are taken again. */
export class ProgramUnits {
  #program: ts.Program | undefined;
  #settings = "";
  #graph = new ImportGraph();
  #units = new Map<string, CompiledUnit>();

  constructor(
    private readonly sources: SourceFiles,
    private readonly lean: boolean,
  ) {}

  open(config: ProjectConfig): Project {
    return new Project(createProgram(config, this.lean, this.sources, this.#program), config);
  }

  /** Compiles what is new, and takes the rest from before. */
  compile(project: Project, packageName: string | undefined): readonly CompiledUnit[] {
    const { program, config } = project;
    const settings = JSON.stringify([packageName, config.generatedFile, config.rootNames, config.options]);
    const kept = settings === this.#settings ? this.#untouched(program) : this.#nothing();
    const units = new Map<string, CompiledUnit>();
    for (const file of program.getSourceFiles()) {
      if (project.isOwnSource(file)) units.set(file.fileName, kept.get(file.fileName) ?? compileUnit(file, packageName, project));
    }
    this.#program = program;
    this.#settings = settings;
    this.#units = units;
    return [...units.values()];
  }

  /** With other options, or another set of files, an import may mean another one. */
  #nothing(): ReadonlyMap<string, CompiledUnit> {
    this.#graph = new ImportGraph();
    return new Map();
  }

  /** The units of before that no change reaches. */
  #untouched(program: ts.Program): ReadonlyMap<string, CompiledUnit> {
    const before = new Map(this.#program?.getSourceFiles().map((file) => [file.fileName, file]));
    const files = program.getSourceFiles();
    const changed = files.filter((file) => before.get(file.fileName) !== file);
    const isOtherSet = files.length !== before.size || files.some(({ fileName }) => !before.has(fileName));
    const old = changed.map(({ fileName }) => before.get(fileName)).filter((file) => file !== undefined);
    // What such a change means for a file that does not import it can not be told: all is made anew.
    if (isOtherSet || [...changed, ...old].some(isGlobal)) return this.#nothing();
    const reached =
      changed.length === 0 ? new Set<string>() : this.#graph.reachedFrom(new Set(changed.map(({ fileName }) => fileName)), program);
    return new Map([...this.#units].filter(([name, { isSelfContained }]) => isSelfContained && !reached.has(name)));
  }
}
