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

/**
 * Schemas of the parameters of one tool. One generator for each tool, so that nothing of one shows in another.
 *
 * @param definitionNames - the plan's names of objects, by which both halves of the compiler know them.
 */
export function rawSchemas(
  types: readonly ts.Type[],
  definitionNames: ReadonlyMap<ts.Type, string>,
  project: Project,
): readonly RawSchema[] {
  const named = Object.fromEntries(types.map((type, index) => [`parameter${index}`, type]));
  const generator = new JsonSchemaGenerator([], named, {}, {}, facade(project.checker, definitionNames), generatorOptions);
  return Object.keys(named).map((name) => {
    const node = quietly(() => generator.getSchemaForSymbol(name, false));
    return { node, definitions: generator.ReffedDefinitions };
  });
}

/** The name by which a definition of the generator is known, when it is one of the plan's. */
export function referenceName(reference: string): string {
  return decodeURIComponent(reference.slice(reference.lastIndexOf("/") + 1));
}

/**
 * The checker as the generator sees it. It uses texts of types for the names of definitions, which would have absolute
 * paths in them and are slow to make, and to recognise Date.
 */
function facade(checker: ts.TypeChecker, definitionNames: ReadonlyMap<ts.Type, string>): ts.TypeChecker {
  const isDate = (type: ts.Type): boolean => type.symbol?.name === "Date" && checker.getFullyQualifiedName(type.symbol) === "Date";
  const seen = Object.create(checker) as ts.TypeChecker;
  seen.typeToString = (type) => {
    if (isDate(type)) return "Date";
    // The mark keeps these apart from the plan's names, which have letters, digits, _ and - only.
    return definitionNames.get(type) ?? `~${String((type as { id?: number }).id)}`;
  };
  seen.getFullyQualifiedName = (symbol) => {
    const name = checker.getFullyQualifiedName(symbol);
    return name === "Date" || name === "Window" ? name : `~${symbol.name}`;
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
