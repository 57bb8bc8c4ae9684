import { type Middleware, RunStop, ToolwrightError } from "@toolwright/core";
import { firstDifference } from "./difference.js";
import type { Findings } from "./report.js";
import { answerOf, call, callsOf } from "./scenarios.js";
import { type End, type Mode, modeName, Stage } from "./stage.js";
import type { Lab } from "./subject.js";

type Hook = "wrapRun" | "wrapModelCall" | "wrapToolCall";
const hooks: readonly Hook[] = ["wrapRun", "wrapModelCall", "wrapToolCall"];

/** What is thrown from further in, by name. */
const thrown = {
  "a RunStop": () => new RunStop("budget", "Enough is enough."),
  "a ToolwrightError": () =>
    new ToolwrightError("RUN_BLOCKED", "Not like this.", { details: { guard: "thrower", reason: "a rule" }, fix: "Ask otherwise." }),
  "an error of another kind": () => new RangeError("Out of range."),
} as const;

/** Throws in the second step, when there is work to be kept. */
function thrower(hook: Hook, make: () => Error): Middleware {
  const name = "thrower";
  if (hook === "wrapRun") {
    return {
      name,
      async wrapRun(wrapped, next) {
        await next(wrapped);
        throw make();
      },
    };
  }
  if (hook === "wrapModelCall") {
    return {
      name,
      async wrapModelCall(wrapped, next) {
        if (wrapped.step > 0) throw make();
        return next(wrapped);
      },
    };
  }
  return {
    name,
    async wrapToolCall(wrapped, next) {
      if (wrapped.name === "look") throw make();
      return next(wrapped);
    },
  };
}

/** Throws from inside of the subject, in each hook. */
export async function errors(lab: Lab): Promise<Findings> {
  const { subject } = lab;
  if (subject.changes.ends === true) return { problems: [], note: "It may change how runs end: this was not looked at." };
  const mode: Mode = subject.modes[0] ?? { way: "run", history: "local" };
  const jobs = hooks.flatMap((hook) => Object.entries(thrown).map(([what, make]) => ({ hook, what, inner: () => thrower(hook, make) })));
  const problems = await Promise.all(
    jobs.map(async ({ hook, what, inner }) => {
      const [expected, actual] = await Promise.all([endWith([inner()], mode), endWith([...subject.make(), inner()], mode)]);
      const difference = firstDifference(expected, actual);
      return difference === undefined ? [] : [`${what} thrown further in, in ${hook} (${modeName(mode)}): ${difference}.`];
    }),
  );
  return { problems: problems.flat() };
}

async function endWith(middleware: readonly Middleware[], mode: Mode): Promise<object> {
  const script = [callsOf(1, call("write", 1), call("look", 2)), answerOf(2)];
  const stage = await Stage.open({ script: ({ index }) => script[index] ?? answerOf(100 + index), mode }, middleware);
  try {
    return viewOfEnd(await stage.start("Go."));
  } finally {
    await stage.close();
  }
}

// What became of the work is told by its outline: outputs may be the subject's to change.
function viewOfEnd({ ends, error, result }: End): object {
  const { reason } = (result ?? {}) as { readonly reason?: unknown };
  return {
    ends,
    message: error?.message,
    details: error?.details,
    cause: error?.cause instanceof Error ? `${error.cause.name}: ${error.cause.message}` : undefined,
    reason,
    steps: result?.steps.map(({ index, calls }) => ({ index, calls: calls.map(({ callId, outcome }) => `${callId}: ${outcome.kind}`) })),
    items: result?.items.map(({ type }) => type),
  };
}
