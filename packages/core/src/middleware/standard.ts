import type { Middleware } from "../contracts/middleware.js";
import { modelRetry } from "./model-retry.js";
import { toolErrors } from "./tool-errors.js";
import { toolRetry } from "./tool-retry.js";

/**
 * What most agents want, outermost first: {@link toolErrors}, {@link modelRetry}, {@link toolRetry}, each with its
 * defaults. Spread it, or write the three yourself to set their options.
 *
 * @example
 * new Agent({ …, middleware: [logging(), stepBudget(5), ...standard()] });
 */
export function standard(): Middleware[] {
  return [toolErrors(), modelRetry(), toolRetry()];
}
