import "reflect-metadata";

// Keys are Symbol.for, so that two copies of this package in one process read each other's records.
const toolKey = Symbol.for("toolwright.tool");
const paramsKey = Symbol.for("toolwright.params");
const toolkitKey = Symbol.for("toolwright.toolkit");

/** Records a method's `@Tool`. On the function for standard decorators, which do not know their class; on the prototype for legacy ones. */
export function recordTool(target: object, property: string | symbol | undefined, options: object): void {
  if (property === undefined) Reflect.defineMetadata(toolKey, options, target);
  else Reflect.defineMetadata(toolKey, options, target, property);
}

export function recordParam(prototype: object, method: string | symbol, index: number, options: object): void {
  const known = (Reflect.getOwnMetadata(paramsKey, prototype, method) as object[] | undefined) ?? [];
  Reflect.defineMetadata(paramsKey, Object.assign([...known], { [index]: options }), prototype, method);
}

export function recordToolkit(constructor: object, options: object): void {
  Reflect.defineMetadata(toolkitKey, options, constructor);
}

/** Names of the methods of a class that carry `@Tool`, inherited ones included, overridden ones not. */
export function decoratedMethods(constructor: abstract new (...parameters: never[]) => unknown): readonly string[] {
  const found = new Map<string, boolean>();
  for (let level: object | null = constructor.prototype as object; level !== null && level !== Object.prototype;) {
    for (const name of Object.getOwnPropertyNames(level)) {
      if (found.has(name)) continue;
      const method = Object.getOwnPropertyDescriptor(level, name)?.value as unknown;
      if (typeof method !== "function") continue;
      found.set(name, Reflect.hasOwnMetadata(toolKey, level, name) || Reflect.hasOwnMetadata(toolKey, method));
    }
    level = Object.getPrototypeOf(level) as object | null;
  }
  return [...found].filter(([, decorated]) => decorated).map(([name]) => name);
}

/** The options that `@Tool` recorded for a method, from the class or the base class that decorates it. */
export function toolOptions(
  constructor: abstract new (...parameters: never[]) => unknown,
  method: string,
): Readonly<Record<string, unknown>> {
  const prototype = constructor.prototype as Record<string, unknown>;
  const own: unknown = Reflect.getMetadata(toolKey, prototype, method);
  const onFunction: unknown = typeof prototype[method] === "function" ? Reflect.getMetadata(toolKey, prototype[method]) : undefined;
  return (own ?? onFunction ?? {}) as Readonly<Record<string, unknown>>;
}
