import { ToolwrightError } from "../errors/toolwright-error.js";

/** How responses are made in the background. */
export interface BackgroundOptions {
  /**
   * Told the id of each response as soon as there is one, before it is waited for: keep it, and `attach` can go on with it after
   * the process has ended. Awaited; if it throws, the response is cancelled and the run fails.
   */
  readonly onStarted?: ((started: { readonly responseId: string }) => void | Promise<void>) | undefined;
  /** The id of a response that was started before: the first request of this model waits for it, and starts none. */
  readonly attach?: string | undefined;
  /** Milliseconds before the first look at a response; each further wait is half as long again. Default 1 000. */
  readonly pollMs?: number | undefined;
  /** The longest wait between two looks, in milliseconds. Default 10 000. */
  readonly maxPollMs?: number | undefined;
  /** What an aborted run does to the response that it waits for. Left alone, it can be attached to later. Default `"cancel"`. */
  readonly onAbort?: "cancel" | "leave" | undefined;
  /** Until when it must be done: the later, the cheaper. Anything but `"soonest"` is never streamed. Default `"soonest"`. */
  readonly completionWindow?: "soonest" | "2h" | "8h" | undefined;
}

/** The same with its defaults. */
export interface Background {
  readonly onStarted: NonNullable<BackgroundOptions["onStarted"]>;
  /** Gives the id to attach to once, to whichever of the models that were made with these options is asked first. */
  takeAttached(): string | undefined;
  readonly pollMs: number;
  readonly maxPollMs: number;
  readonly onAbort: "cancel" | "leave";
  readonly completionWindow: "soonest" | "2h" | "8h";
}

const taken = new WeakSet<object>();

const names = ["onStarted", "attach", "pollMs", "maxPollMs", "onAbort", "completionWindow"];

/** @throws ToolwrightError `RUN_OPTIONS` for an option that is wrong or that there is none of. */
export function backgroundOf(options: boolean | BackgroundOptions | undefined): Background | undefined {
  if (options === undefined || options === false) return undefined;
  const given: unknown = options === true ? {} : options;
  if (typeof given !== "object" || given === null) throw wrong("background", given, "Pass true, or an object of options.");
  const stranger = Object.keys(given).find((key) => !names.includes(key));
  if (stranger !== undefined) {
    throw new ToolwrightError("RUN_OPTIONS", `\`background\` has no option ${JSON.stringify(stranger)}.`, {
      fix: `The options are ${names.join(", ")}.`,
    });
  }
  const {
    onStarted = () => {},
    attach,
    pollMs = 1_000,
    maxPollMs = Math.max(10_000, Number(pollMs)),
    onAbort = "cancel",
    completionWindow = "soonest",
  } = given as BackgroundOptions;
  if (typeof onStarted !== "function") throw wrong("background.onStarted", onStarted, "Pass a function.");
  if (attach !== undefined && (typeof attach !== "string" || attach === ""))
    throw wrong("background.attach", attach, "Pass the id of a response, resp_….");
  for (const [name, value] of Object.entries({ pollMs, maxPollMs })) {
    if (!(Number.isInteger(value) && value > 0 && value < 2 ** 31))
      throw wrong(`background.${name}`, value, "Pass whole milliseconds from 1.");
  }
  if (maxPollMs < pollMs) throw wrong("background.maxPollMs", maxPollMs, `Pass at least \`pollMs\`, ${pollMs}.`);
  if (!["cancel", "leave"].includes(onAbort)) throw wrong("background.onAbort", onAbort, 'Use "cancel" or "leave".');
  if (!["soonest", "2h", "8h"].includes(completionWindow))
    throw wrong("background.completionWindow", completionWindow, 'Use "soonest", "2h" or "8h".');
  const takeAttached = (): string | undefined => {
    if (attach === undefined || taken.has(given)) return undefined;
    taken.add(given);
    return attach;
  };
  return { onStarted, takeAttached, pollMs, maxPollMs, onAbort, completionWindow };
}

function wrong(name: string, value: unknown, fix: string): ToolwrightError {
  const shown = typeof value === "string" || typeof value === "number" ? JSON.stringify(value) : value === null ? "null" : typeof value;
  return new ToolwrightError("RUN_OPTIONS", `\`${name}\` is ${shown}.`, { fix });
}
