import type { ts } from "typescript-json-schema";
import type { Project } from "./project.js";

/** The classes that arguments become instances of, each under its name. */
export class DtoClasses {
  readonly #byName = new Map<string, ts.ClassDeclaration>();

  constructor(private readonly project: Project) {}

  /** The key of a class in the generated module; reports another class of the same name. */
  keyOf(declaration: ts.ClassDeclaration): string {
    const name = declaration.name?.text ?? "default";
    const known = this.#byName.get(name);
    if (known === undefined) this.#byName.set(name, declaration);
    else if (known !== declaration) reportTwins(known, declaration, name, this.project);
    return name;
  }

  get(name: string): ts.ClassDeclaration | undefined {
    return this.#byName.get(name);
  }

  get all(): ReadonlyMap<string, ts.ClassDeclaration> {
    return this.#byName;
  }
}

/** Two exported classes that the generated module would import by one name. */
export function reportTwins(one: ts.ClassDeclaration, other: ts.ClassDeclaration, name: string, project: Project): void {
  for (const [at, twin] of [
    [one, other],
    [other, one],
  ] as const) {
    const place = at.name ?? at;
    project.error(place, name, {
      reason: `Two exported classes that tools use are named ${name}; the other one is in ${project.relativePath(twin.getSourceFile().fileName)}.`,
      fix: "Rename one of them: the generated module imports both.",
    });
  }
}
