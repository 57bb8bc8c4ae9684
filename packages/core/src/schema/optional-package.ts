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
  // A bundler takes an import that is caught right there for one that may fail.
  transformer ??= import("class-transformer").catch(absent("class-transformer")) as unknown as Promise<ClassTransformer | undefined>;
  return transformer;
}

/** class-validator, or undefined when it is not installed. Loaded once. */
export function loadClassValidator(): Promise<ClassValidator | undefined> {
  validator ??= import("class-validator").catch(absent("class-validator")) as unknown as Promise<ClassValidator | undefined>;
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

/** Undefined for a package that is not installed; what else goes wrong is thrown. */
function absent(name: string): (error: unknown) => undefined {
  return (error) => {
    const { code, message } = error as { code?: unknown; message?: unknown };
    if (code === "ERR_MODULE_NOT_FOUND" && String(message).includes(`'${name}'`)) return undefined;
    throw error;
  };
}
