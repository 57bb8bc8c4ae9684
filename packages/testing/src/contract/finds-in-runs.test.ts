import { type JsonObject, type Middleware } from "@toolwright/core";
import { expect, test } from "vitest";
import { checkMiddleware, type MiddlewareContractOptions } from "../check-middleware.js";
import { type CheckName, ContractError } from "./report.js";

const passThrough = (): Middleware => ({ name: "pass", wrapToolCall: (call, next) => next(call) });
const pause = (): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, 60_000);
  });
const seen: string[] = [];

/** What breaks each check, and what is said of it. */
const broken: readonly (readonly [check: CheckName, what: string, factory: () => Middleware, says: RegExp])[] = [
  ["data", "shows a function", () => ({ name: "bad", options: { pick: () => 1 } as unknown as JsonObject }), /options.*pick/],
  ["data", "keeps a Map", () => ({ name: "bad", state: () => ({ seen: new Map() }) as never }), /seen is no plain object/],
  ["data", "gives all runs one state", (shared = { n: 0 }) => ({ name: "bad", state: () => shared }), /given before/],
  ["explain", "has a hook that there is not", () => ({ name: "bad", wrapTool: () => 1 }) as Middleware, /wrapTool/],
  [
    "fresh",
    "is always the same",
    (() => {
      const one = passThrough();
      return () => one;
    })(),
    /very same "pass"/,
  ],
  [
    "pass-through",
    "adds instructions",
    () => ({ name: "bad", wrapModelCall: (call, next) => next({ ...call, request: { ...call.request, instructions: "Be brief." } }) }),
    /requests\[0\]\.instructions is "Be brief\.", where "Do as the user says\." was expected/,
  ],
  [
    "pass-through",
    "changes arguments",
    () => ({ name: "bad", wrapToolCall: (call, next) => next(call.issues ? call : { ...call, arguments: { text: "mine" } }) }),
    /"wrote mine", where "wrote thing 1" was expected/,
  ],
  [
    "isolation",
    "counts all runs in one",
    () => {
      let calls = 0;
      return {
        name: "bad",
        async wrapToolCall(call, next) {
          calls += 1;
          return calls > 6 ? { kind: "denied", reason: "too many calls" } : next(call);
        },
      };
    },
    /two runs at once.*another way than alone/,
  ],
  [
    "isolation",
    "keeps what it saw for the next run",
    () => {
      let last = "";
      return {
        name: "bad",
        state: () => ({ before: "" }),
        async wrapToolCall(call, next, { state }) {
          state["before"] = last;
          last = call.rawArguments;
          return next(call);
        },
      };
    },
    /the state of one run held content of the other one/,
  ],
  [
    "isolation",
    "writes of one run under the id of another",
    () => {
      let first = "";
      return {
        name: "bad",
        async wrapToolCall(call, next, { run }) {
          first ||= run.id;
          seen.push(`${first} ${call.rawArguments}`);
          return next(call);
        },
      };
    },
    /what it wrote of one run/,
  ],
  [
    "abort",
    "waits whatever happens",
    () => ({
      name: "bad",
      wrapToolCall: async (call, next) => {
        await pause();
        return next(call);
      },
    }),
    /1 timer was left running/,
  ],
  [
    "abort",
    "waits for ever",
    () => ({
      name: "bad",
      wrapModelCall: async (call, next) => {
        await new Promise(() => {});
        return next(call);
      },
    }),
    /wrapModelCall of "bad" did not end/,
  ],
  [
    "abort",
    "answers in the place of what was aborted",
    () => ({ name: "bad", wrapModelCall: (call, next) => next(call).catch(() => ({ id: undefined, output: [], usage: {} as never })) }),
    /went on after the abort/,
  ],
  [
    "abort",
    "asks again after the abort",
    () => ({ name: "bad", repeats: true, wrapModelCall: (call, next) => next(call).catch(() => next(call)) }),
    /called next again after the run was aborted/,
  ],
  [
    "abort",
    "leaves listeners behind",
    () => ({
      name: "bad",
      wrapToolCall: (call, next, { signal }) => {
        signal.addEventListener("abort", () => {});
        return next(call);
      },
    }),
    /listeners were left on the run's signal/,
  ],
];

test.each(broken)("%s: finds one that %s", async (check, _, factory, says) => {
  const options: MiddlewareContractOptions = { only: [check], written: () => seen };
  const error: unknown = await checkMiddleware(factory, options).catch((thrown: unknown) => thrown);
  if (!(error instanceof ContractError)) throw new Error("The suite found nothing.", { cause: error });
  expect(error.report.checks.map(({ name, ok }) => ({ name, ok }))).toEqual([{ name: check, ok: false }]);
  expect(error.message).toMatch(says);
});
