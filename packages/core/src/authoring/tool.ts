import { recordTool } from "./metadata.js";
import type { ToolOptions } from "./options.js";

/** A decorator that works in both forms: `experimentalDecorators` (legacy) and standard. */
export interface ToolDecorator {
  (prototype: object, method: string | symbol, descriptor: PropertyDescriptor): void;
  (method: (...parameters: never[]) => unknown, context: ClassMethodDecoratorContext): void;
}

/**
 * Makes a public method of a class a tool. It only records; `npx toolwright build` reads the method's types.
 *
 * @example
 * class Calculator {
 *   /** Evaluates an arithmetic expression. Use it for every calculation. *\/
 *   @Tool({ effect: "read" })
 *   calculate(@Param("Arithmetic expression, e.g. 12 * 9 / 5 + 32") expression: string): number { … }
 * }
 */
export function Tool(options: string | ToolOptions = {}): ToolDecorator {
  const record = typeof options === "string" ? { description: options } : options;
  return ((target: object, second: string | symbol | ClassMethodDecoratorContext) => {
    if (typeof second === "object") recordTool(target, undefined, record);
    else recordTool(target, second, record);
  }) as ToolDecorator;
}
