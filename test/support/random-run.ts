import {
  Agent,
  type DefinedTool,
  defineMiddleware,
  type HistoryOption,
  type Item,
  type RunResult,
  ToolError,
  ToolwrightError,
} from "@toolwright/core";
import { modelRetry, toolErrors, toolRetry } from "@toolwright/core/middleware";
import { type CallSpec, type OutputReply, reply, type Reply, type ScriptRequest } from "@toolwright/testing";
import * as fc from "fast-check";
import { serve } from "./serve.js";
import { numberTool } from "./tools.js";
import { ends, sleep } from "./wait.js";
import { resumeIn, runIn, type RunFailure, ways } from "./ways.js";

const doings = ["returns", "throws", "says", "is flaky"] as const;
const toolNames = ["read", "write", "keyed", "keyed_read", "asks", "slow"] as const;

const plannedCall = fc.record({
  tool: fc.constantFrom(...toolNames, "nowhere"),
  does: fc.constantFrom(...doings),
  delayMs: fc.nat(5),
  wrong: fc.constantFrom(undefined, undefined, undefined, "{", '{"n":"1"}'),
  twin: fc.constantFrom(undefined, undefined, undefined, undefined, "same", "other"),
  thought: fc.boolean(),
});
const plannedStep = fc.record({
  calls: fc.array(plannedCall, { minLength: 1, maxLength: 5 }),
  fault: fc.constantFrom(undefined, undefined, undefined, undefined, "http", "failed", "cut", "incomplete"),
});

/** A run at random: what the model does, what the tools do, what the application does. */
export const plannedRun = fc.record({
  way: fc.constantFrom(...ways),
  kind: fc.constantFrom("local", "chained"),
  steps: fc.array(plannedStep, { minLength: 1, maxLength: 4 }),
  denies: fc.nat(5),
  abortAfterMs: fc.option(fc.nat(20), { nil: undefined }),
  concurrency: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
  maxSteps: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
  retries: fc.boolean(),
  decides: fc.constantFrom("approve", "deny", "goOn"),
});
export type PlannedRun = typeof plannedRun extends fc.Arbitrary<infer Plan> ? Plan : never;
type PlannedCall = PlannedRun["steps"][number]["calls"][number];

/** A call that got as far as its tool. */
interface Execution {
  readonly n: number;
  readonly tool: string;
}

/** What came of it. */
export interface RandomOutcome {
  /** One entry for each time that a tool returned. */
  readonly returned: readonly Execution[];
  readonly started: readonly Execution[];
  /** Everything the model reads in the run after it. */
  readonly context: readonly Item[];
  readonly refusals: readonly string[];
  readonly steps: RunResult["steps"];
}

/** Carries out a plan, then a plain run on the history that it left. */
export async function carryOut(plan: PlannedRun): Promise<RandomOutcome> {
  const script = new Planned(plan);
  await using stand = await serve((request) => script.next(request));
  const tools = toolNames.map((name) => script.tool(name));
  const agent = new Agent({
    model: "test",
    client: stand.client,
    tools,
    middleware: middlewareOf(plan),
    concurrency: plan.concurrency,
    maxSteps: plan.maxSteps,
  });
  const controller = new AbortController();
  if (plan.abortAfterMs !== undefined) setTimeout(() => controller.abort(new Error("enough")), plan.abortAfterMs);
  const history: HistoryOption = plan.kind === "local" ? { kind: "local" } : { kind: "chained" };
  let end = await endOf(runIn(plan.way, agent, "Go.", { signal: controller.signal, history }));
  while (end.stopReason === "interrupted" && plan.decides !== "goOn") {
    const decisions = end.interruptions.map(({ callId }) => ({ callId, approve: plan.decides === "approve" }));
    end = await endOf(resumeIn(plan.way, agent, end.state, { decisions, signal: controller.signal }));
  }
  await sleep(plan.abortAfterMs === undefined ? 0 : 8);

  script.over = true;
  const plain = new Agent({ model: "test", client: stand.client, tools });
  await ends(plain.run("Go on.", { history: JSON.parse(JSON.stringify(end.history)) as HistoryOption }));
  const refusals = stand.server.requests.flatMap(({ refusal }) => (refusal === undefined ? [] : [refusal.message]));
  return {
    returned: script.returned,
    started: script.started,
    context: stand.server.requests.at(-1)?.context ?? [],
    refusals,
    steps: end.steps,
  };
}

type End = RunResult | RunFailure["result"];

async function endOf(run: Promise<RunResult>): Promise<End> {
  return ends(run).catch((error: unknown) => {
    // A run of the plan may fail; anything else is a fault of the plan's own.
    if (ToolwrightError.is(error) && error.result !== undefined) return (error as RunFailure).result;
    throw error;
  });
}

function middlewareOf({ denies, retries }: PlannedRun) {
  const police = defineMiddleware({
    name: "police",
    wrapToolCall: async (call, next) =>
      call.arguments["n"] !== undefined && (call.arguments["n"] as number) % 6 === denies
        ? { kind: "denied", reason: "not this one" }
        : next(call),
  });
  const quick = { minDelayMs: 1, maxDelayMs: 1 };
  return retries ? [toolErrors(), modelRetry({ ...quick, attempts: 2 }), police, toolRetry({ ...quick, attempts: 2 })] : [police];
}

/** The model and the tools of a plan. Every call has a number of its own. */
class Planned {
  readonly returned: Execution[] = [];
  readonly started: Execution[] = [];
  /** From then on the model only answers. */
  over = false;
  readonly #plan: PlannedRun;
  readonly #calls = new Map<number, PlannedCall>();
  readonly #tries = new Map<number, number>();
  #step = 0;

  constructor(plan: PlannedRun) {
    this.#plan = plan;
  }

  next({ index }: ScriptRequest): Reply {
    const step = this.over ? undefined : this.#plan.steps[this.#step];
    if (step === undefined) return reply.text("Done.");
    this.#step += 1;
    const output = reply.output(...step.calls.flatMap((call, at) => this.#replies(call, index * 10 + at)));
    switch (step.fault) {
      case "http":
        return reply.http(500);
      case "failed":
        return reply.failed({ code: "server_error", message: "Broken." }, output);
      case "incomplete":
        return reply.incomplete({}, output);
      case "cut":
        return reply.cut({}, output);
      default:
        return output.with({ interleave: index % 2 === 0 });
    }
  }

  #replies(call: PlannedCall, n: number): readonly OutputReply[] {
    this.#calls.set(n, call);
    const spec: CallSpec = { name: call.tool, callId: `call_${n}`, id: `fc_${n}`, arguments: call.wrong ?? { n } };
    const twin: CallSpec = { ...spec, id: `fc_${n}_twin`, ...(call.twin === "other" && { arguments: { n: n + 1_000 } }) };
    const replies = [...(call.thought ? [reply.reasoning("Hm.")] : []), reply.calls(spec)];
    return call.twin === undefined ? replies : [...replies, reply.calls(twin)];
  }

  tool(name: (typeof toolNames)[number]): DefinedTool {
    const options = {
      read: { effect: "read" },
      write: { effect: "write" },
      keyed: { effect: "write", resource: "thing:{n}" },
      keyed_read: { effect: "read", resource: "thing:{n}" },
      asks: { effect: "write", approval: true },
      slow: { effect: "read", timeoutMs: 3 },
    } as const;
    return numberTool(name, (n) => this.#execute(n, name), options[name]);
  }

  async #execute(n: number, tool: string): Promise<string> {
    const { does, delayMs } = this.#calls.get(n) ?? { does: "returns", delayMs: 0 };
    const tries = (this.#tries.get(n) ?? 0) + 1;
    this.#tries.set(n, tries);
    this.started.push({ n, tool });
    await sleep(delayMs);
    if (does === "throws") throw new Error("private");
    if (does === "says" || (does === "is flaky" && tries === 1)) throw new ToolError({ code: "BUSY", message: "Busy.", retryable: true });
    this.returned.push({ n, tool });
    return `done ${n}`;
  }
}
