import type { JsonObject } from "../contracts/json.js";
import type { ToolCall } from "../contracts/middleware.js";
import type { ToolOutcome } from "../contracts/outcome.js";
import type { RunnableTool, ToolContext } from "../contracts/tool.js";
import { toolContext } from "./invoke-tool.js";
import type { OpenCall } from "./open-call.js";
import { abortedSkip, holdsFullProtocol, notReadyOutcome, ok } from "./outcomes.js";
import { writeKey } from "./resource.js";
import type { Run } from "./run.js";
import { showValue } from "./show-value.js";
import { aborted, untilAbort, within } from "./until-abort.js";

/** Of a call that waits for a person's approval. */
export const waiting = Object.freeze({ kind: "interrupted", reason: "approval" } as const);

const doubtful = Object.freeze({ kind: "interrupted", reason: "unknown-outcome" } as const);

/** A write equal to one of unknown outcome could double its effect: its query, asked about that one, knows, or a person does. */
export function repeatsUnknown(run: Run, open: OpenCall, tool: RunnableTool, checked: JsonObject): Promise<ToolOutcome> | undefined {
  const waited = open.waited === "unknown-outcome";
  if ((run.unknownWrites.size === 0 && !waited) || !holdsFullProtocol(tool.info)) return undefined;
  const unknownKey = run.unknownWrites.get(writeKey(tool.info.name, checked));
  if (open.decision !== undefined && "resolve" in open.decision) return undefined;
  if (unknownKey === undefined) return waited ? Promise.resolve(doubtful) : undefined;
  return askAboutUnknown(run, open, tool, checked, unknownKey);
}

async function askAboutUnknown(
  run: Run,
  open: OpenCall,
  tool: RunnableTool,
  checked: JsonObject,
  unknownKey: string,
): Promise<ToolOutcome> {
  if (tool.query !== undefined) {
    try {
      const answer = await untilAbort(run, within(tool, tool.query(checked, { ...context(run, open, tool), idempotencyKey: unknownKey })));
      if (answer === aborted) return abortedSkip;
      if ("done" in answer) return ok(showValue(answer.result));
    } catch (error) {
      run.kernel.log.error({ tool: tool.info.name, callId: open.callId, err: error }, "query failed");
    }
  }
  return doubtful;
}

/** Whether anybody has to be asked before the call runs. */
export const needsApproval = ({ decision, waited }: OpenCall, tool: RunnableTool, call: ToolCall): boolean =>
  decision === undefined && (waited === "approval" || call.approval === true || tool.approve !== undefined);

/** Asks the tool whether a person must approve the call; undefined when it may run. */
export async function approve(
  run: Run,
  open: OpenCall,
  tool: RunnableTool,
  call: ToolCall,
  checked: JsonObject,
): Promise<ToolOutcome | undefined> {
  if (call.approval === true || open.waited === "approval") return waiting;
  try {
    const needed = await untilAbort(run, within(tool, tool.approve?.(checked, context(run, open, tool)) ?? Promise.resolve(false)));
    if (needed === aborted) return abortedSkip;
    return needed ? waiting : undefined;
  } catch (error) {
    // Nothing ran, but nothing may run unapproved either.
    run.kernel.log.error({ tool: tool.info.name, callId: open.callId, err: error }, "approval failed");
    return notReadyOutcome(error);
  }
}

const context = (run: Run, open: OpenCall, tool: RunnableTool): ToolContext => toolContext(run, open, tool, run.abort.signal);
