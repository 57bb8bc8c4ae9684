import { ToolwrightError } from "../errors/toolwright-error.js";

/** The part of class-transformer that is used; the package is an optional peer. */
export interface ClassTransformer {
  plainToInstance(Class: new () => object, plain: object, options: object): object;
}

/** The parts of class-validator that are used; the package is an optional peer. */
export interface ClassValidator {
  validate(instance: object, options: object): Promise<ValidationError[]>;
}

/** What class-validator says of one property. */
export interface ValidationError {
  readonly target?: object | undefined;
  readonly property: string;
  readonly value?: unknown;
  readonly constraints?: { readonly [type: string]: string } | undefined;
  readonly children?: readonly ValidationError[] | undefined;
}

let transformer: Promise<ClassTransformer | undefined> | undefined;
let validator: Promise<ClassValidator | undefined> | undefined;

/** class-transformer, or undefined when it is not installed. Loaded once. */
export function loadClassTransformer(): Promise<ClassTransformer | undefined> {
  // The published types are of the package's own generics; the interface above names what is relied upon.
  transformer ??= optional<ClassTransformer>(import("class-transformer") as unknown as Promise<ClassTransformer>, "class-transformer");
  return transformer;
}

/** class-validator, or undefined when it is not installed. Loaded once. */
export function loadClassValidator(): Promise<ClassValidator | undefined> {
  validator ??= optional<ClassValidator>(import("class-validator") as unknown as Promise<ClassValidator>, "class-validator");
  return validator;
}

/** The error for a DTO class that has validators while a package that runs them is missing. */
export function missingPackage(name: "class-validator" | "class-transformer", dto: string): ToolwrightError {
  return new ToolwrightError(
    "TOOL_MISSING_PACKAGE",
    `The class ${dto} has class-validator decorators, but ${name} is not installed where @toolwright/core can find it.`,
    {
      fix: "Run `npm install class-validator class-transformer`.",
    },
  );
}

async function optional<T>(loading: Promise<T>, name: string): Promise<T | undefined> {
  try {
    return await loading;
  } catch (error) {
    const { code, message } = error as { code?: unknown; message?: unknown };
    if (code === "ERR_MODULE_NOT_FOUND" && String(message).includes(`'${name}'`)) return undefined;
    throw error;
  }
}
