import type { OutputManifest, ToolkitManifest, ToolManifest } from "@toolwright/core";
import { ts } from "typescript-json-schema";
import { compareText } from "../compare.js";
import { importSourceOf, type ImportSource } from "../emit/specifier.js";
import { compileOutput } from "./compile-output.js";
import { compileTool } from "./compile-tool.js";
import { classesIn, findToolkit, type FoundToolkit, type Unoffered } from "./find-toolkits.js";
import { type ClassMark, DtoClasses, idOf, markOf } from "./marks.js";
import type { Place } from "../problem.js";
import type { Project, Remarks } from "./project.js";
import { toolkitPrefix, warnOfManyTools } from "./toolkit-options.js";
import type { SeenValidator } from "./rules/seen-validators.js";
import { sameName } from "./same-name.js";

/** A class with how the generated module imports it. */
export interface UnitClass extends ClassMark {
  readonly source: ImportSource | undefined;
}

/** A class of tools with everything that the generated module says about it. */
export interface UnitToolkit extends UnitClass {
  readonly manifest: ToolkitManifest;
  /** Names of the classes that its arguments become instances of, sorted. */
  readonly classes: readonly string[];
  readonly tools: readonly UnitTool[];
  /** Ids of the classes that it extends. */
  readonly bases: readonly string[];
}

/** A tool, for what is asked across files: whether another one has its name. */
interface UnitTool {
  /** Model-visible. */
  readonly name: string;
  readonly label: string;
  /** The same for a tool that several classes inherit. */
  readonly id: string;
  readonly place: Place;
}

/** An output class with everything that the generated module says about it. */
export interface UnitOutput extends UnitClass {
  readonly manifest: OutputManifest;
  readonly classes: readonly string[];
}

/**
 * What one source file brings. Data only, so that it outlives the program it was made from, and can be taken again as
 * long as neither the file nor what it imports changes.
 */
export interface CompiledUnit extends Remarks {
  readonly toolkits: readonly UnitToolkit[];
  readonly outputs: readonly UnitOutput[];
  /** Classes that arguments and outputs become instances of. */
  readonly dtoClasses: readonly UnitClass[];
  readonly unoffered: readonly Unoffered[];
  /** Ids of the classes that its classes with tools extend. */
  readonly bases: readonly string[];
  readonly validators: readonly SeenValidator[];
  /** Files that declare the types of its tools and outputs. */
  readonly sources: readonly string[];
  /** Whether it depends on nothing but the file and what that imports. */
  readonly isSelfContained: boolean;
}

/** Compiles the classes of one source file. */
export function compileUnit(file: ts.SourceFile, packageName: string | undefined, project: Project): CompiledUnit {
  const inputsBefore = project.inputs.size;
  const { result, remarks } = project.remarksOf(() => new Unit(packageName, project).compile(file));
  const classes = [...result.toolkits, ...result.outputs, ...result.dtoClasses];
  const isSelfContained = project.inputs.size === inputsBefore && classes.every(({ isOwn }) => isOwn);
  return { ...result, ...remarks, isSelfContained };
}

class Unit {
  readonly #classes: DtoClasses;

  constructor(
    readonly packageName: string | undefined,
    readonly project: Project,
  ) {
    this.#classes = new DtoClasses(project);
  }

  compile(file: ts.SourceFile): Omit<CompiledUnit, keyof Remarks | "isSelfContained"> {
    const { project } = this;
    const found = classesIn(file).map((declaration) => findToolkit(declaration, project));
    const toolkits = found.flatMap((each) => (each?.toolkit === undefined ? [] : [this.#toolkit(each.toolkit, each.bases)]));
    const withTools = new Set<ts.Node>(found.flatMap((each) => each?.toolkit?.declaration ?? []));
    const outputs = classesIn(file).flatMap((declaration) => this.#output(declaration, withTools.has(declaration)) ?? []);
    return {
      toolkits,
      outputs,
      dtoClasses: this.#classes.all.map((declaration) => this.#classOf(declaration, toolkits[0] ?? outputs[0])),
      unoffered: found.flatMap((each) => each?.unoffered ?? []),
      bases: found.flatMap((each) => each?.bases ?? []),
      validators: project.takeValidators(),
      sources: project.takeReached(),
    };
  }

  #toolkit(toolkit: FoundToolkit, bases: readonly string[]): UnitToolkit {
    const { project } = this;
    const prefix = toolkitPrefix(toolkit, project);
    const { used, classKey } = this.#keys();
    const tools: ToolManifest[] = [];
    const marks: UnitTool[] = [];
    for (const tool of toolkit.tools) {
      const manifest = compileTool(toolkit, tool, prefix, classKey, project);
      if (manifest === undefined) continue;
      const label = `${toolkit.name}.${tool.method}`;
      const twin = marks.find(({ name }) => name === manifest.name);
      if (twin !== undefined) {
        project.error(tool.place, label, sameName(twin.label, manifest.name));
        continue;
      }
      tools.push(manifest);
      marks.push({ name: manifest.name, label, id: idOf(tool.declaration, project), place: project.place(tool.place) });
    }
    warnOfManyTools(toolkit, tools.length, project);
    const origin = this.packageName === undefined ? {} : { package: this.packageName };
    return {
      ...this.#classOf(toolkit.declaration, undefined),
      manifest: { format: 1, className: toolkit.name, ...origin, tools },
      classes: [...used].sort(compareText),
      tools: marks,
      bases,
    };
  }

  #output(declaration: ts.ClassLikeDeclaration, hasTools: boolean): UnitOutput | undefined {
    const { used, classKey } = this.#keys();
    const manifest = compileOutput(declaration, classKey, this.project);
    if (manifest === undefined || !ts.isClassDeclaration(declaration)) return undefined;
    if (hasTools) {
      this.project.error(declaration.name ?? declaration, manifest.className, {
        reason: "The class has both tools and @Output; an answer is data, and tools are offered by instances that the application makes.",
        fix: "Move the tools into a class of their own.",
      });
    }
    return { ...this.#classOf(declaration, undefined), manifest, classes: [...used].sort(compareText) };
  }

  #keys(): { readonly used: ReadonlySet<string>; classKey(declaration: ts.ClassDeclaration): string } {
    const used = new Set<string>();
    const classKey = (declaration: ts.ClassDeclaration): string => {
      const key = this.#classes.keyOf(declaration);
      used.add(key);
      return key;
    };
    return { used, classKey };
  }

  /** @param user - a class that uses it: where it is said when the generated module can not import it. */
  #classOf(declaration: ts.ClassDeclaration, user: ClassMark | undefined): UnitClass {
    const { project } = this;
    const mark = markOf(declaration, project);
    const source = importSourceOf(declaration, project.config.generatedFile, project);
    if (source === undefined) {
      project.errorIn(user?.place ?? mark.place, mark.name, {
        reason: `The class ${mark.name} is declared in ${project.relativePath(declaration.getSourceFile().fileName)}, outside of the project, and no file of the project imports it by a package's name.`,
        fix: `Import it as \`import { ${mark.name} } from "the-package"\` where it is used, and let that package export it.`,
      });
    }
    return { ...mark, source };
  }
}
