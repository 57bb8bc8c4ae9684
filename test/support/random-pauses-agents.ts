import {
  Agent,
  customTool,
  defineMiddleware,
  defineOutput,
  defineTool,
  handoff,
  type JsonObject,
  type Middleware,
  type ToolCall,
  type ToolContext,
  ToolError,
} from "@toolwright/core";
import { approval, budget, stepBudget } from "@toolwright/core/middleware";
import OpenAI from "openai";
import { depth, type PausePlan } from "./random-pauses-plan.js";
import { edited, placeOf, reason, wordOf } from "./random-pauses-words.js";

/** One call of a tool's method. */
export interface Effect {
  /** Where the call stands in the whole run. */
  readonly place: string;
  readonly tool: string;
  readonly arguments: JsonObject;
}

export interface AgentsOptions {
  readonly plan: PausePlan;
  readonly url: string;
  record(effect: Effect): void;
  /** Nobody is asked: what a person would say happens at once. */
  readonly unasked?: true;
}

const parameters = {
  type: "object",
  properties: { n: { type: "integer" }, key: { type: "integer" }, tag: { type: "string" } },
  required: ["n", "key"],
} as const;

const hosted = { type: "mcp", server_label: "files", server_url: "https://mcp.example/", require_approval: "always" } as const;

/** What an agent's answer is where it has a form. */
const form = defineOutput({
  name: "answer",
  description: "The answer.",
  schema: { type: "object", properties: { digest: { type: "string" } }, required: ["digest"] },
});

/** The agent of a plan, with everything inside of it. */
export function plannedAgent(options: AgentsOptions): Agent<unknown, unknown> {
  const client = new OpenAI({ baseURL: options.url, apiKey: "test" });
  return agentAt(0, options, client);
}

function agentAt(level: number, options: AgentsOptions, client: OpenAI): Agent<unknown, unknown> {
  const { plan, unasked } = options;
  const inner = level === depth ? undefined : agentAt(level + 1, options, client);
  const helper = (name: string, asks: boolean) =>
    inner === undefined ? [] : [inner.asTool({ name, description: "Helps.", ...(asks && !unasked && { approval: true }) })];
  const tools = [...ownTools(options), ...helper("helper", false), ...helper("asked_helper", true), hosted];
  const output = plan.formed === "all" || (plan.formed === "top" && level === 0) ? { output: form } : {};
  const common = { client, ...output, ...(plan.signed && { stateSecret: "a secret of this test, long enough to be one" }) };
  const other = new Agent({ ...common, name: `b${level}`, model: `b${level}`, tools });
  return new Agent({
    ...common,
    model: `a${level}`,
    tools: [...tools, handoff(other, { name: "transfer" })],
    middleware: middlewareAt(level, options),
    concurrency: plan.concurrency,
    ...(level === 0 && plan.budget?.kind === "maxSteps" && { maxSteps: plan.budget.limit }),
  });
}

function ownTools({ record, unasked }: AgentsOptions) {
  const asks = unasked ? {} : ({ approval: true } as const);
  const noted =
    (tool: string, give: (n: number) => unknown = String) =>
    (args: Record<string, unknown>, { idempotencyKey }: ToolContext): unknown => {
      record({ place: placeOf(idempotencyKey), tool, arguments: args as JsonObject });
      return `${tool} ${String(give(Number(args["n"])))} ${String(args["key"])}`;
    };
  const tool = (name: string, more: object, give?: (n: number) => unknown) =>
    defineTool({ name, description: `Does ${name}.`, parameters, ...more, execute: noted(name, give) });
  return [
    tool("read", { effect: "read" }),
    tool("write", { effect: "write" }),
    tool("keyed", { effect: "write", resource: "thing:{key}" }),
    tool("pay", { effect: "write", resource: "thing:{key}", ...asks }),
    tool("drop", { effect: "destructive" }),
    tool("pick", { effect: "write", ...(!unasked && { approval: isPicked }) }),
    tool("few", { effect: "read", maxCalls: 2 }),
    tool("says", { effect: "write" }, (n) => {
      if (n % 2 === 1) throw new ToolError({ code: "BUSY", message: "Busy." });
      return n;
    }),
    tool("lost", { effect: "write" }, (n) => {
      if (n % 2 === 1) throw new Error("The connection broke.");
      return n;
    }),
    customTool({
      name: "query",
      description: "Asks.",
      ...asks,
      execute: (input, { idempotencyKey }) => {
        record({ place: placeOf(idempotencyKey), tool: "query", arguments: { input } });
        return `answer to ${input}`;
      },
    }),
  ];
}

const isPicked = (args: Record<string, unknown>): boolean => Number(args["n"]) % 2 === 0;

function middlewareAt(level: number, { plan, unasked }: AgentsOptions): readonly Middleware[] {
  const { kind, limit = 1 } = plan.budget ?? {};
  const atTop = level === 0;
  return [
    ...(atTop && (kind === "throw" || kind === "stop" || kind === "answer") ? [stepBudget(limit, { onExhausted: kind })] : []),
    ...(atTop && kind === "requests" ? [budget({ requests: limit })] : []),
    ...(plan.rewrites === undefined ? [] : [rewriting(plan.rewrites)]),
    ...(unasked ? [people(plan)] : plan.policy ? [approval()] : []),
  ];
}

/** Changes arguments, and leaves alone what it has changed. */
function rewriting(how: "ceiling" | "tag"): Middleware {
  const change = (args: JsonObject): JsonObject => (how === "tag" ? { ...args, tag: "x" } : { ...args, n: Math.min(5, Number(args["n"])) });
  return defineMiddleware({
    name: "rewriting",
    traits: ["changes-arguments"],
    wrapToolCall(call, next) {
      // What a hosted server asks for is made by it, as it is.
      const changes = typeof call.arguments["n"] === "number" && !call.name.includes(".");
      return next(changes ? { ...call, arguments: change(call.arguments) } : call);
    },
  });
}

/** Says at once, of each call that a person would be asked about, what they would say. */
function people(plan: PausePlan): Middleware {
  return defineMiddleware({
    name: "people",
    async wrapToolCall(call, next, { run }) {
      const spent = plan.budget?.kind === "maxSteps" && run.path.length === 0 && call.step >= plan.budget.limit - 1;
      if (spent || !isAsked(plan, call)) return next(call);
      const word = wordOf(plan, placeOf(call.idempotencyKey));
      if (word === "deny") return { kind: "denied", reason: "a person refused it." };
      if (word === "deny with a reason") return { kind: "denied", reason };
      return next({ ...call, arguments: (word === "edit" ? edited(call.arguments) : undefined) ?? call.arguments });
    },
  });
}

function isAsked({ policy }: PausePlan, { name, issues, tool, arguments: args }: ToolCall): boolean {
  if (issues !== undefined || tool === undefined) return false;
  return (
    name === "pay" || name === "query" || name === "asked_helper" || (name === "drop" && policy) || (name === "pick" && isPicked(args))
  );
}
