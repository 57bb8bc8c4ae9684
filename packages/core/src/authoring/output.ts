import "reflect-metadata";

/** Options of `@Output`: constants, since `toolwright build` reads them from the source. */
export interface OutputOptions {
  /** Name of the format that the model answers in. Default: the class's name. */
  readonly name?: string | undefined;
  /** What the answer is for. Default: the class's doc comment. */
  readonly description?: string | undefined;
}

/** A class decorator that works in both forms: legacy and standard. */
export type OutputDecorator = <Class extends abstract new (...parameters: never[]) => unknown>(target: Class, context?: unknown) => void;

// Symbol.for, so that two copies of this package in one process read each other's records.
const outputKey = Symbol.for("toolwright.output");

/**
 * Makes a class the form of a final answer. It only records; `npx toolwright build` reads the types of its properties.
 *
 * @example
 * /** A plan for one trip. *\/
 * @Output()
 * export class TripPlan { city!: string; days!: Day[] }
 */
export function Output(options: string | OutputOptions = {}): OutputDecorator {
  const record = typeof options === "string" ? { description: options } : options;
  return (target) => Reflect.defineMetadata(outputKey, record, target);
}

/** What `@Output` recorded for this very class; undefined without one. */
export function outputOptions(constructor: object): OutputOptions | undefined {
  return Reflect.getOwnMetadata(outputKey, constructor) as OutputOptions | undefined;
}
