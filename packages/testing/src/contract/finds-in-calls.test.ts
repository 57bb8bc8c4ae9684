import { type Middleware, type ToolOutcome } from "@toolwright/core";
import { expect, test } from "vitest";
import { checkMiddleware, type MiddlewareContractOptions } from "../check-middleware.js";
import { type CheckName, ContractError } from "./report.js";

type Next = (call: never) => Promise<ToolOutcome>;
const again =
  (kind: ToolOutcome["kind"]) =>
  async (call: never, next: Next): Promise<ToolOutcome> => {
    const outcome = await next(call);
    return outcome.kind === kind ? next(call) : outcome;
  };

/** What breaks each check, and what is said of it. */
const broken: readonly (readonly [check: CheckName, what: string, factory: () => Middleware, says: RegExp])[] = [
  [
    "approvals",
    "takes a waiting call for a failure",
    () => ({
      name: "bad",
      async wrapToolCall(call, next) {
        const outcome = await next(call);
        return outcome.kind === "ok" ? outcome : { kind: "denied", reason: "it failed" };
      },
    }),
    /turned the call call_1 of ask, which waits for a person \("interrupted"\), into "denied"/,
  ],
  [
    "answers",
    "gives one call the output of another",
    () => {
      let before: ToolOutcome | undefined;
      return {
        name: "bad",
        async wrapToolCall(call, next) {
          const outcome = await next(call);
          const other = before ?? outcome;
          if (outcome.kind === "ok") before = outcome;
          return outcome.kind === "ok" ? other : outcome;
        },
      };
    },
    /the output of call_\d \(\w+\) is not its own/,
  ],
  [
    "repeats",
    "calls wrong calls again",
    () => ({ name: "bad", repeats: true, wrapToolCall: again("invalid") as never }),
    /had come to "invalid", which stands/,
  ],
  [
    "repeats",
    "repeats writes of unknown outcome",
    () => ({ name: "bad", repeats: true, wrapToolCall: again("unknown") as never }),
    /had come to "unknown", which stands/,
  ],
  [
    "repeats",
    "sends a refused request again",
    () => ({ name: "bad", repeats: true, wrapModelCall: (call, next) => next(call).catch(() => next(call)) }),
    /refused as wrong was sent again/,
  ],
  [
    "errors",
    "wraps what is thrown further in",
    () => ({ name: "bad", wrapModelCall: (call, next) => next(call).catch(() => Promise.reject(new Error("model failed"))) }),
    /a ToolwrightError thrown further in, in wrapModelCall.*ends is "RUN_MIDDLEWARE", where "RUN_BLOCKED" was expected/,
  ],
  [
    "errors",
    "stops a RunStop",
    () => ({ name: "bad", wrapToolCall: (call, next) => next(call).catch(() => ({ kind: "skipped", reason: "stopped" })) }),
    /a RunStop thrown further in, in wrapToolCall/,
  ],
  [
    "events",
    "takes back what stays",
    () => ({
      name: "bad",
      wrapModelCall: async (call, next, { run }) => {
        const reply = await next(call);
        run.restartStep();
        return reply;
      },
    }),
    /told the text ""/,
  ],
  [
    "events",
    "throws as it observes",
    () => ({
      name: "bad",
      onEvent() {
        throw new Error("no disk");
      },
    }),
    /onEvent threw of "bad": Error: no disk/,
  ],
  [
    "frozen",
    "writes into the request",
    () => ({
      name: "bad",
      wrapModelCall: (call, next) => {
        (call.request.input as object[]).push({ type: "message", role: "user", content: "And?" });
        return next(call);
      },
    }),
    /changed what wrapModelCall was given in place|tried to change something in place/,
  ],
  [
    "frozen",
    "writes into an outcome",
    () => ({
      name: "bad",
      wrapToolCall: async (call, next) => {
        const outcome = await next(call);
        if (outcome.kind === "ok") (outcome as { output: string }).output = "mine";
        return outcome;
      },
    }),
    /tried to change something in place/,
  ],
  [
    "history",
    "gives items ids of its own",
    () => ({
      name: "bad",
      async wrapModelCall(call, next) {
        const response = await next(call);
        return { ...response, output: response.output.map((item, at) => ({ ...item, id: `item ${at}` })) };
      },
    }),
    /the API refused a request/,
  ],
  [
    "usage",
    "asks the model behind the run's back",
    () => ({
      name: "bad",
      async wrapModelCall(call, next, { signal }) {
        if (call.step === 1) await call.model.respond(call.request, { signal, stream: false, onDelta() {} });
        return next(call);
      },
    }),
    /usage\.requests is \d, where \d was expected/,
  ],
  [
    "twice",
    "takes itself for the only one",
    () => ({
      name: "bad",
      wrapModelCall(call, next) {
        if (call.request.instructions?.includes("[seen]") === true) throw new Error("seen already");
        return next({ ...call, request: { ...call.request, instructions: `${call.request.instructions} [seen]` } });
      },
    }),
    /two of it.*RUN_MIDDLEWARE/,
  ],
];

test.each(broken)("%s: finds one that %s", async (check, _, factory, says) => {
  const options: MiddlewareContractOptions = { only: [check] };
  const error: unknown = await checkMiddleware(factory, options).catch((thrown: unknown) => thrown);
  if (!(error instanceof ContractError)) throw new Error("The suite found nothing.", { cause: error });
  expect(error.report.checks.map(({ name, ok }) => ({ name, ok }))).toEqual([{ name: check, ok: false }]);
  expect(error.message).toMatch(says);
});
