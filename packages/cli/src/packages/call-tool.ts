import {
  Agent,
  type AgentTool,
  type CallRecord,
  defineMiddleware,
  type FailedResult,
  type RunResult,
  type ToolInfo,
  type ToolLog,
  ToolwrightError,
} from "@toolwright/core";
import { scriptedModel } from "./scripted-model.js";

/** A call of one tool. */
export interface CallToMake {
  readonly tools: readonly AgentTool<never>[];
  /** As the model would call it. */
  readonly name: string;
  /** The text that the model would write. */
  readonly argumentsText: string;
  /** What the tool's context has as `app`. */
  readonly app: unknown;
  readonly signal: AbortSignal;
  readonly log: ToolLog;
  /** Told before anything runs. */
  onTool(info: ToolInfo): void;
  /** Asked when the tool needs a person's approval, with the checked arguments. */
  approve(checked: object): Promise<Approval>;
}

/** What a person says to a call; `nobody` when there is none to ask. */
export type Approval = "yes" | "no" | "nobody";

/** What became of it. */
export interface CallMade {
  readonly record: CallRecord;
  /** Nobody could be asked, so the tool did not run. */
  readonly needsApproval: boolean;
}

/**
 * Runs one call through an agent, so that it goes the way that it goes there: arguments checked and decoded, approval, the
 * tool's time limit, its result as the model reads it.
 */
export async function callTool({ tools, name, argumentsText, app, signal, log, onTool, approve }: CallToMake): Promise<CallMade> {
  let told = false;
  const tell = defineMiddleware({
    name: "tell",
    wrapToolCall(call, next) {
      if (call.tool !== undefined && !told) onTool(call.tool);
      told = true;
      return next(call);
    },
  });
  const agent = new Agent<unknown>({
    model: scriptedModel(name, argumentsText),
    tools: tools as readonly AgentTool<unknown>[],
    middleware: [tell],
    log,
  });
  const first = await finished(agent.run("Call the tool.", { app, signal }));
  const [interruption] = first.interruptions;
  if (interruption === undefined || first.stopReason !== "interrupted") return { record: recordOf(first), needsApproval: false };
  const approval = await approve(interruption.arguments);
  if (approval === "nobody") return { record: recordOf(first), needsApproval: true };
  const { callId } = interruption;
  const decision =
    approval === "yes" ? ({ callId, approve: true } as const) : ({ callId, approve: false, reason: "A person said no." } as const);
  return { record: recordOf(await finished(agent.resume(first.state, { app, signal, decisions: [decision] }))), needsApproval: false };
}

/** A run that was aborted has what was done until then. */
async function finished(run: Promise<RunResult>): Promise<RunResult | FailedResult> {
  try {
    return await run;
  } catch (error) {
    if (ToolwrightError.is(error) && error.result !== undefined && error.result.steps.length > 0) return error.result;
    throw error;
  }
}

function recordOf({ steps, ...result }: RunResult | FailedResult): CallRecord {
  const record = steps.flatMap(({ calls }) => calls)[0];
  if (record !== undefined) return record;
  const [interruption] = result.interruptions;
  if (interruption === undefined) throw new Error("The run has no call.");
  const { callId, tool, arguments: checked, reason } = interruption;
  return { callId, tool, arguments: checked, outcome: { kind: "interrupted", reason }, attempts: 0, durationMs: 0 };
}
