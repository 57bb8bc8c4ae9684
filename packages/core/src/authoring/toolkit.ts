import { recordToolkit } from "./metadata.js";
import type { ToolkitOptions } from "./options.js";

/** A class decorator that works in both forms: legacy and standard. */
export type ToolkitDecorator = <Class extends abstract new (...parameters: never[]) => unknown>(target: Class, context?: unknown) => void;

/**
 * Options for a whole class of tools.
 *
 * @example
 * @Toolkit({ prefix: "wx" }) // get_weather becomes wx_get_weather
 * export class WeatherTools { … }
 */
export function Toolkit(options: ToolkitOptions = {}): ToolkitDecorator {
  return (target) => recordToolkit(target, options);
}
