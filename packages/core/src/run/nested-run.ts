import type { RunEvent } from "../contracts/event.js";
import type { InputItem } from "../contracts/item.js";
import type { JsonObject } from "../contracts/json.js";
import type { ToolOutcome } from "../contracts/outcome.js";
import type { RunResult } from "../contracts/run.js";
import type { NestedAgent, RunnableTool, ToolContext } from "../contracts/tool.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { announce, toolContext } from "./invoke-tool.js";
import type { Kernel } from "./kernel.js";
import type { OpenCall } from "./open-call.js";
import { abortedOutcome, abortedSkip, agentFailedOutcome, interruptedAgent, ok, timeoutOutcome } from "./outcomes.js";
import type { Run } from "./run.js";
import { showValue } from "./show-value.js";

/**
 * Answers a call of an agent used as a tool by a run of its own. It holds neither lane nor slot: the calls of the inner run
 * take theirs, among those of the whole root run. Usage and requests count in every run above.
 *
 * @param invoke - gives the inner run's input.
 */
export async function runNested(
  run: Run,
  open: OpenCall,
  tool: RunnableTool,
  checked: JsonObject,
  invoke: (context: ToolContext) => unknown,
  limitMs: number,
): Promise<ToolOutcome> {
  const agent = tool.agent as NestedAgent;
  if (run.abort.aborted) return abortedSkip;
  const resumed = open.innerState === undefined ? undefined : { state: open.innerState, decisions: open.innerDecisions };
  await recordStart(run, open, tool);
  // A pause is no end of the attempt.
  if (resumed === undefined || open.attempts === 0) announce(run, open, tool, checked);
  else open.running = true;
  const controller = new AbortController();
  const offAbort = run.abort.onAbort(() => controller.abort(run.abort.reason));
  const late = new ToolwrightError("TOOL_TIMEOUT", `${tool.info.name} did not end within ${limitMs} ms.`);
  const timer = setTimeout(() => controller.abort(late), limitMs);
  try {
    // The input that the model's arguments make; a resumed run has had it.
    const input =
      resumed === undefined ? ((await invoke(toolContext(run, open, tool, controller.signal))) as string | readonly InputItem[]) : [];
    const inner = run.startNested({
      // Whoever made the tool gave the kernel of an agent.
      kernel: agent.kernel() as Kernel,
      input,
      resumed,
      signal: controller.signal,
      consumer: run.observed ? (event) => forward(run, open, event) : undefined,
      parent: { run, id: innerId(open), tool: tool.info.name },
      onRun: (started) => (open.inner = started),
    });
    return await settled(open, tool, await inner);
  } catch (error) {
    if (run.abort.aborted) return abortedOutcome(effectOf(open, tool), run.abort.reason);
    if (controller.signal.aborted) return timeoutOutcome(effectOf(open, tool), limitMs);
    // No failure of the agent's: whoever resumed the run has to know.
    if (resumed !== undefined && ToolwrightError.is(error, "RUN_STATE")) throw error;
    // Nor a broken middleware of this run, such as a budget without a price: a model that reads of it can do nothing about it.
    if (run.broken !== undefined) throw run.broken.error;
    run.kernel.log.error({ tool: tool.info.name, callId: open.callId, err: error }, "an agent used as a tool failed");
    return agentFailedOutcome(effectOf(open, tool), `The agent did not come to an answer (${codeOf(error)}).`, error);
  } finally {
    clearTimeout(timer);
    offAbort();
    open.running = false;
  }
}

async function recordStart(run: Run, open: OpenCall, tool: RunnableTool): Promise<void> {
  if (run.store === undefined) return;
  const { call } = open;
  await run.store.started({
    ...open.identity,
    tool: tool.info.identity,
    arguments: call.rawArguments,
    idempotencyKey: call.idempotencyKey,
  });
}

// The same for all resumes of an attempt, so that what its calls are known by is too.
const innerId = (open: OpenCall): string =>
  open.attempts === 1 ? open.call.idempotencyKey : `${open.call.idempotencyKey}/${open.attempts}`;

async function settled(open: OpenCall, tool: RunnableTool, result: RunResult<unknown>): Promise<ToolOutcome> {
  open.innerState = undefined;
  open.innerInterruptions = [];
  switch (result.stopReason) {
    case "completed":
      return ok(showValue((tool.agent as NestedAgent).show(result.output)));
    case "interrupted":
      open.innerState = result.state;
      open.innerInterruptions = result.interruptions;
      return interruptedAgent(result.interruptions[0]?.reason ?? "approval", result.state.acted === true);
    case "budget":
      return agentFailedOutcome(effectOf(open, tool), `The agent came to no answer: ${result.reason}`, undefined);
    case "refused":
      return agentFailedOutcome(effectOf(open, tool), `The agent refused: ${result.refusal}`, undefined);
    default:
      return assertNever(result);
  }
}

// An agent whose tools have only read so far has certainly done nothing.
const effectOf = (open: OpenCall, { info }: RunnableTool): RunnableTool["info"] =>
  open.inner?.acted === false ? { ...info, effect: "read" } : info;

const forward = (run: Run, open: OpenCall, event: RunEvent): void | Promise<void> =>
  run.emit({ type: "agent-event", callId: open.callId, tool: open.name, event });

// The model reads the code alone: a message may name what is private.
const codeOf = (error: unknown): string => (ToolwrightError.is(error) ? error.code : "RUN_FAILED");

function assertNever(result: never): never {
  throw new Error(`Unknown result: ${JSON.stringify(result)}`);
}
