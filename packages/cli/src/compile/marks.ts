import type { ts } from "typescript-json-schema";
import type { Place } from "../problem.js";
import { publicNameOf } from "./exports.js";
import type { Project } from "./project.js";

/** A class as it is known across files. */
export interface ClassMark {
  readonly name: string;
  /** Its file and place in it. */
  readonly id: string;
  /** The file, from the project's folder. */
  readonly file: string;
  readonly place: Place;
  /** Whether it is declared in the project's own source. */
  readonly isOwn: boolean;
}

export function markOf(declaration: ts.NamedDeclaration, project: Project): ClassMark {
  const source = declaration.getSourceFile();
  const file = project.relativePath(source.fileName);
  const place = project.place(declaration.name ?? declaration);
  return { name: nameOf(declaration, project), id: idOf(declaration, project), file, place, isOwn: project.isOwnSource(source) };
}

/** What a declaration is known by across files and builds. */
export const idOf = (declaration: ts.Declaration, project: Project): string =>
  `${project.relativePath(declaration.getSourceFile().fileName)}:${declaration.pos}`;

const nameOf = (declaration: ts.NamedDeclaration, project: Project): string => publicNameOf(declaration, project) ?? "default";

/** The classes that arguments become instances of. Two of one name are found when all files are put together. */
export class DtoClasses {
  readonly #all = new Set<ts.ClassDeclaration>();

  constructor(private readonly project: Project) {}

  /** The key of a class in the generated module. */
  keyOf(declaration: ts.ClassDeclaration): string {
    this.#all.add(declaration);
    return nameOf(declaration, this.project);
  }

  get all(): readonly ts.ClassDeclaration[] {
    return [...this.#all];
  }
}
