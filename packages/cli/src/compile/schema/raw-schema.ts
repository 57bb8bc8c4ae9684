import type { ts } from "typescript-json-schema";
import { type Definition, getDefaultArgs, JsonSchemaGenerator } from "typescript-json-schema";
import type { Project } from "../project.js";

const generatorOptions = {
  ...getDefaultArgs(),
  required: true,
  noExtraProps: true,
  ref: true,
  strictNullChecks: true,
  excludePrivate: true,
  ignoreErrors: true,
  constAsEnum: true,
};

/** What typescript-json-schema makes of a type, with its definitions. */
export interface RawSchema {
  readonly node: Definition;
  readonly definitions: Readonly<Record<string, Definition>>;
}

/** The second reader of types. One for all tools of a project: a type that many of them take is read once. */
class RawReader {
  readonly #types: { parameter?: ts.Type } = {};
  readonly #generator: JsonSchemaGenerator;

  constructor(project: Project) {
    // It looks a type up by a name, in the very object that it is given.
    this.#generator = new JsonSchemaGenerator(
      [],
      this.#types as Record<string, ts.Type>,
      {},
      {},
      facade(project.checker),
      generatorOptions,
    );
    // It would forget all definitions before each type. They are named by identity here, so that they cannot be mistaken.
    Object.assign(this.#generator, { resetSchemaSpecificProperties: () => {} });
  }

  read(type: ts.Type): RawSchema {
    this.#types.parameter = type;
    const node = quietly(() => this.#generator.getSchemaForSymbol("parameter", false));
    return { node, definitions: this.#generator.ReffedDefinitions };
  }
}

const readers = new WeakMap<Project, RawReader>();

/** What typescript-json-schema makes of some types. */
export function rawSchemas(types: readonly ts.Type[], project: Project): readonly RawSchema[] {
  const reader = readers.get(project) ?? new RawReader(project);
  // Kept only when all went well: what threw on the way may have left something half read.
  readers.delete(project);
  const schemas = types.map((type) => reader.read(type));
  readers.set(project, reader);
  return schemas;
}

/** The name of a type's definition. */
export const rawName = (type: ts.Type): string => `t${String((type as { id?: number }).id)}`;

/** The name by which a reference calls a definition. */
export function referenceName(reference: string): string {
  return decodeURIComponent(reference.slice(reference.lastIndexOf("/") + 1));
}

/**
 * The checker as the generator sees it. It uses texts of types for the names of definitions, which would have absolute
 * paths in them and are slow to make, and to recognise Date.
 */
function facade(checker: ts.TypeChecker): ts.TypeChecker {
  const isDate = (type: ts.Type): boolean => type.symbol?.name === "Date" && checker.getFullyQualifiedName(type.symbol) === "Date";
  const seen = Object.create(checker) as ts.TypeChecker;
  seen.typeToString = (type) => (isDate(type) ? "Date" : rawName(type));
  seen.getFullyQualifiedName = (symbol) => {
    // Only these two names mean anything to it.
    if (symbol.name !== "Date" && symbol.name !== "Window") return `~${symbol.name}`;
    const name = checker.getFullyQualifiedName(symbol);
    return name === symbol.name ? name : `~${symbol.name}`;
  };
  return seen;
}

/** It writes remarks about initialisers to the console, which the plan reads by itself. */
function quietly<Result>(action: () => Result): Result {
  const { warn, error } = console;
  console.warn = console.error = () => {};
  try {
    return action();
  } finally {
    Object.assign(console, { warn, error });
  }
}
