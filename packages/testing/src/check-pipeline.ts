import type { Middleware } from "@toolwright/core";
import { checkSubject, type ContractOptions } from "./check-middleware.js";
import type { ContractReport } from "./contract/report.js";

/**
 * Takes a whole pipeline through the same as `checkMiddleware` does, and sees to its order: what each middleware asks for is
 * there, and no pair is known not to work. A check named `order` tells in `detail` what was moved.
 *
 * @param list - the middlewares, outermost first. A function makes them anew for each agent, which those need that keep
 * something for all runs, such as a cache.
 * @throws ContractError that names each check that failed, with what was expected and what was found.
 *
 * @example
 * test("our pipeline keeps the contract", async () => {
 *   await checkPipeline(() => [logging({ stream }), stepBudget(20), ...standard()]);
 * });
 */
export function checkPipeline(
  list: readonly Middleware[] | (() => readonly Middleware[]),
  options: ContractOptions = {},
): Promise<ContractReport> {
  const make = typeof list === "function" ? list : () => list;
  const names = make().map(({ name }) => name);
  // Of a pipeline there is one, with the names that it has.
  return checkSubject(`The pipeline of ${names.join(", ")}`, make, options, ["fresh", "twice"]);
}
