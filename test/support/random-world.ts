import { type DefinedTool, defineTool, type JsonObject, type ToolContext, ToolError } from "@toolwright/core";
import { type CallSpec, type OutputReply, reply, type Reply } from "@toolwright/testing";
import { type PlannedCall, type PlannedRun, type PlannedTool, plannedTools } from "./random-plan.js";
import { sleep, untilAborted } from "./wait.js";

/** What the user says and no log may repeat. */
export const userSecret = "the heron of Lake Baikal";

/** What a tool throws, and nobody but a log may read, without the key in it. */
export const thrownText = "private: db-7 said no";
export const thrownKey = "sk-proj-Zr81PqLm27XcVb90TyUiOp45GhJkMn";

/** One time that a tool's method was called. */
export interface Execution {
  /** Run, step and call: constant over attempts and resumes. */
  readonly key: string;
  readonly callId: string;
  readonly tool: PlannedTool;
  readonly arguments: JsonObject;
  readonly attempt: number;
  /** What it returned; undefined when it did not, or not yet. */
  returned: string | undefined;
  ended: boolean;
  readonly signal: AbortSignal;
}

/** The model and the tools of a plan, and what became of them. Every call has a number of its own, unless it is one again. */
export class RandomWorld {
  readonly executions: Execution[] = [];
  /** What broke a rule while it went on. */
  readonly complaints: string[] = [];
  /** Keys of calls that a person has approved, or has said never happened. */
  readonly allowed = new Set<string>();
  /** From then on the model only answers. */
  over = false;
  readonly #plan: PlannedRun;
  readonly #calls = new Map<string, PlannedCall>();
  readonly #lastArguments = new Map<string, JsonObject>();
  #numbers = 0;
  #step = 0;

  constructor(plan: PlannedRun) {
    this.#plan = plan;
  }

  next(): Reply {
    const { kind, chunk } = this.#plan;
    const step = this.over ? undefined : this.#plan.steps[this.#step];
    if (step === undefined) return reply.text("Done.");
    this.#step += 1;
    const output = reply.output(...step.calls.flatMap((call, at) => this.#replies(call, at))).with({ chunk });
    const broken = { code: "server_error", message: "Broken." };
    switch (step.fault) {
      case "http":
        return reply.http(500);
      case "busy":
        return reply.http(429, { headers: { "retry-after-ms": "2" } });
      case "failed":
        return reply.failed(broken, output);
      case "error":
        return reply.error(broken, output);
      // A conversation that has taken a reply which its client never saw cannot go on: that is its server's to mend.
      case "incomplete":
        return kind === "conversation" ? reply.http(503) : reply.incomplete({}, output);
      case "cut":
        return reply.cut({ processed: kind !== "conversation" }, output);
      case "end":
        return reply.end({ processed: kind !== "conversation" }, output);
      default:
        return output.with({ interleave: this.#step % 2 === 0, keepalive: true });
    }
  }

  #replies(call: PlannedCall, at: number): readonly OutputReply[] {
    const n = this.#numbers;
    this.#numbers += 1;
    const callId = call.sameId ? `call_same_${at}` : `call_${n}`;
    this.#calls.set(callId, call);
    const again = call.again ? this.#lastArguments.get(call.tool) : undefined;
    const supplied = again ?? { n, key: call.key };
    this.#lastArguments.set(call.tool, supplied);
    const spec: CallSpec = { name: call.tool, callId, id: `fc_${n}`, arguments: call.wrong ?? supplied };
    const twin: CallSpec = { ...spec, id: `fc_${n}_twin`, ...(call.twin === "other" && { arguments: { n: n + 1_000, key: 0 } }) };
    const replies = [...(call.thought ? [reply.reasoning("Hm.")] : []), reply.calls(spec)];
    return call.twin === undefined ? replies : [...replies, reply.calls(twin)];
  }

  tool(name: PlannedTool): DefinedTool {
    const parameters = { type: "object", properties: { n: { type: "integer" }, key: { type: "integer" } }, required: ["n", "key"] };
    const execute = (args: Record<string, unknown>, context: ToolContext) => this.#execute(name, args as JsonObject, context);
    return defineTool({ name, description: `Does ${name}.`, ...plannedTools[name], parameters, execute });
  }

  async #execute(tool: PlannedTool, args: JsonObject, { callId, idempotencyKey: key, attempt, signal }: ToolContext): Promise<string> {
    const execution: Execution = { key, callId, tool, arguments: args, attempt, returned: undefined, ended: false, signal };
    this.#watch(execution);
    this.executions.push(execution);
    try {
      const { does, delayMs } = this.#calls.get(callId) ?? { does: "returns", delayMs: 0 };
      await (does === "heeds its signal" ? Promise.race([sleep(delayMs), untilAborted(signal)]) : sleep(delayMs));
      if (does === "throws") throw new Error(`${thrownText}, key ${thrownKey}`);
      if (does === "says" || (does === "is flaky" && attempt === 1))
        throw new ToolError({ code: "BUSY", message: "Busy.", retryable: true });
      execution.returned = `done ${this.executions.indexOf(execution)}`;
      return execution.returned;
    } finally {
      execution.ended = true;
    }
  }

  // What only holds while it goes on: how many run at once, and who has a key.
  #watch({ key, tool, attempt, arguments: { key: thing } }: Execution): void {
    const running = this.executions.filter(({ ended }) => !ended);
    const inTime = running.filter(({ signal }) => !signal.aborted).length + 1;
    const { concurrency = Number.POSITIVE_INFINITY } = this.#plan;
    if (inTime > concurrency) this.complaints.push(`${inTime} methods at once, where ${concurrency} may`);
    const keyed = (name: PlannedTool): boolean => "resource" in plannedTools[name];
    const writes = (name: PlannedTool): boolean => !isRead(name);
    const here = running.filter((other) => keyed(tool) && keyed(other.tool) && other.arguments["key"] === thing);
    const holder = here.find((other) => writes(tool) || writes(other.tool));
    if (holder !== undefined) this.complaints.push(`${tool} ran while ${holder.tool} had their key`);
    const orphan = running.find((other) => other.key === key && other.attempt < attempt && writes(tool));
    if (orphan !== undefined) this.complaints.push(`${tool} was tried again while its first attempt still ran`);
    if (/asks/.test(tool) && !this.allowed.has(key)) this.complaints.push(`${tool} ran unasked`);
  }
}

/** Whether a tool may be repeated. */
export const mayRepeat = (tool: PlannedTool): boolean => isRead(tool) || "idempotent" in plannedTools[tool];

/** Whether a tool is declared a write without a safe repetition: its end may be unknown. */
export const isOnce = (tool: PlannedTool): boolean => "effect" in plannedTools[tool] && !mayRepeat(tool);

function isRead(tool: PlannedTool): boolean {
  const options = plannedTools[tool];
  return "effect" in options && options.effect === "read";
}
