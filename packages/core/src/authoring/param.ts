import { recordParam } from "./metadata.js";
import type { ParamOptions } from "./options.js";

/**
 * Describes a parameter of a tool for the model. Needs `experimentalDecorators`, since standard decorators know no
 * parameters; the doc comment's `@param` does the same without.
 */
export function Param(options: string | ParamOptions): ParameterDecorator {
  const record = typeof options === "string" ? { description: options } : options;
  return (prototype, method, index) => {
    // Constructor parameters are no tool's parameters; the build says so with the place.
    if (method !== undefined) recordParam(prototype, method, index, record);
  };
}
