import type { Project } from "./project.js";

/**
 * What was found out about symbols and the like, for one program. Never for longer: files, and the symbols in them, are
 * taken over from program to program, while what they mean may change with other files.
 */
export class Memo<Key extends object, Value> {
  readonly #maps = new WeakMap<Project, Map<Key, Value>>();

  of(project: Project): Map<Key, Value> {
    const map = this.#maps.get(project) ?? new Map<Key, Value>();
    this.#maps.set(project, map);
    return map;
  }
}
