import type { Middleware } from "@toolwright/core";
import { abort } from "./contract/abort-check.js";
import { errors } from "./contract/error-check.js";
import { events } from "./contract/event-check.js";
import { isolation } from "./contract/isolation-check.js";
import { type CheckName, ContractError, type ContractReport, type Findings, resultOf } from "./contract/report.js";
import { answers, approvals, frozen, history, passThrough, repeats, usage } from "./contract/settled-checks.js";
import { data, explain, fresh, order, twice } from "./contract/shape-checks.js";
import type { Mode } from "./contract/stage.js";
import { Lab } from "./contract/subject.js";
import type { MiddlewareChanges } from "./contract/view.js";

/** Options of {@link checkMiddleware} and `checkPipeline`. */
export interface ContractOptions {
  /** What it is there to change, so that the change is not held against it. Default: nothing. */
  readonly changes?: MiddlewareChanges | undefined;
  /** Who may keep the history. Default: both. */
  readonly histories?: readonly Mode["history"][] | undefined;
  /** How runs are started. Default: both. */
  readonly ways?: readonly Mode["way"][] | undefined;
  /** The checks to make. Default: all. */
  readonly only?: readonly CheckName[] | undefined;
  /**
   * What it has written elsewhere so far, such as log lines, each as a text. A text that holds the id of one run may then
   * hold nothing of another one.
   */
  readonly written?: (() => readonly string[]) | undefined;
}

/** Options of {@link checkMiddleware}. */
export interface MiddlewareContractOptions extends ContractOptions {
  /** Others that must be in the pipeline with it; they stand further in, unless an `order` says otherwise. */
  readonly beside?: (() => readonly Middleware[]) | undefined;
}

const checks: { readonly [name in CheckName]: (lab: Lab) => Promise<Findings> } = {
  data,
  explain,
  order,
  fresh,
  "pass-through": passThrough,
  isolation,
  abort,
  approvals,
  answers,
  repeats,
  errors,
  events,
  frozen,
  history,
  usage,
  twice,
};

/**
 * Takes a middleware through what any pipeline may meet, with a real agent that talks to a stand-in server: parallel, failing
 * and wrong calls, approvals and resumes, refusals, failing servers, aborts at every wait, two runs at once. Give it options
 * with which it has no reason to act, then once more with options so tight that a run just gets through: three steps with six
 * calls at the most.
 *
 * @param factory - makes the middleware, anew each time.
 * @throws ContractError that names each check that failed, with what was expected and what was found.
 *
 * @example
 * test("audit keeps the contract", async () => {
 *   await checkMiddleware(() => audit({ sink: [] }));
 * });
 */
export function checkMiddleware(factory: () => Middleware, options: MiddlewareContractOptions = {}): Promise<ContractReport> {
  const { beside } = options;
  const { name } = factory();
  // Of one alone there is no order.
  return checkSubject(`The middleware "${name}"`, () => [factory(), ...(beside?.() ?? [])], options, ["order"]);
}

/** Makes the checks of one suite, and throws for those that fail. */
export async function checkSubject(
  name: string,
  make: () => readonly Middleware[],
  options: ContractOptions,
  leaveOut: readonly CheckName[],
): Promise<ContractReport> {
  const { changes = {}, histories = ["local", "chained"], ways = ["run", "stream"], only, written } = options;
  const modes = histories.flatMap((kind) => ways.map((way): Mode => ({ way, history: kind })));
  const wanted = (Object.keys(checks) as CheckName[]).filter((each) => !leaveOut.includes(each) && (only?.includes(each) ?? true));
  const goesOn = wanted.includes("history") || wanted.includes("answers");
  const lab = new Lab({ name, make, changes, modes, goesOn, written });
  const results = [];
  for (const each of wanted) results.push(resultOf(each, await made(each, lab)));
  const report: ContractReport = { checks: results };
  if (results.some(({ ok }) => !ok)) throw new ContractError(name, report);
  return report;
}

// An agent that does not take it, a factory that throws: whatever breaks a check is what it found.
async function made(name: CheckName, lab: Lab): Promise<Findings> {
  try {
    return await checks[name](lab);
  } catch (error) {
    return { problems: [error instanceof Error ? error.message : String(error)] };
  }
}
