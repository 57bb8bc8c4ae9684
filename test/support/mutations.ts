import type { CheckName } from "@toolwright/testing";

/** What can go wrong in a layer, and which check of the suites sees it. */
export interface Mutation {
  readonly name: string;
  readonly caughtBy: CheckName;
  /** What stands in the place of a call of `next`, which is an expression that gives a promise. */
  readonly put: (next: string) => string;
  /** Declarations that it needs. */
  readonly head?: string;
}

/** Of the calls of `next` for tool calls. */
export const toolMutations: readonly Mutation[] = [
  {
    name: "approval swallowed",
    caughtBy: "approvals",
    put: (next) => `${next}.then((inner) => (inner.kind === "interrupted" ? { kind: "denied", reason: "nobody was there" } : inner))`,
  },
  {
    name: "invalid retried",
    caughtBy: "repeats",
    put: (next) => `${next}.then((inner) => (inner.kind === "invalid" ? ${next} : inner))`,
  },
  {
    name: "abort dropped: waits on after the call",
    caughtBy: "abort",
    put: (next) => `${next}.then(async (inner) => (await new Promise((resolve) => setTimeout(resolve, 400)), inner))`,
  },
  {
    name: "state shared: outcomes by call_id for all runs",
    caughtBy: "isolation",
    head: "const sharedOutcomes: Record<string, any> = {};",
    put: (next) => `(sharedOutcomes[call.callId] ??= ${next})`,
  },
  {
    name: "outcome lost",
    caughtBy: "pass-through",
    put: (next) => `${next}.then((inner) => (inner.kind === "ok" ? { kind: "skipped", reason: "lost" } : inner))`,
  },
  { name: "call answered twice", caughtBy: "pass-through", put: (next) => `(${next}.catch(() => {}), ${next})` },
  { name: "call changed in place", caughtBy: "frozen", put: (next) => `(Object.assign(call.arguments, { text: "mine" }), ${next})` },
];

/** Of the calls of `next` for model calls. */
export const modelMutations: readonly Mutation[] = [
  {
    name: "abort dropped: goes on with an answer of its own",
    caughtBy: "abort",
    put: (next) => `${next}.catch(() => ({ id: undefined, output: [], usage: {} }))`,
  },
  {
    name: "abort dropped: waits on before the request",
    caughtBy: "abort",
    put: (next) => `new Promise((resolve) => setTimeout(resolve, 400)).then(() => ${next})`,
  },
  {
    name: "state shared: replies by step for all runs",
    caughtBy: "isolation",
    head: "const sharedReplies: Record<string, any> = {};",
    put: (next) => `(sharedReplies[call.step] ??= ${next})`,
  },
  {
    name: "reply lost",
    caughtBy: "pass-through",
    put: (next) => `${next}.then((inner) => ({ ...inner, output: inner.output.slice(0, -1) }))`,
  },
  { name: "request made twice", caughtBy: "pass-through", put: (next) => `(${next}.catch(() => {}), ${next})` },
  {
    name: "request changed in place",
    caughtBy: "frozen",
    put: (next) => `(call.request.input.push({ type: "message", role: "user", content: "And?" }), ${next})`,
  },
  {
    name: "error of another kind",
    caughtBy: "errors",
    put: (next) => `${next}.catch((error) => Promise.reject(new Error("The model failed: " + error.message)))`,
  },
];
