import type { JsonObject } from "../contracts/json.js";
import type { ToolCall } from "../contracts/middleware.js";
import type { ToolOutcome } from "../contracts/outcome.js";
import type { PreparedCall, RunnableTool, ToolContext } from "../contracts/tool.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { approve, needsApproval, repeatsUnknown, waiting } from "./ask-tool.js";
import { boundedOutcome } from "./bounded-outcome.js";
import { claimCall, editedArguments } from "./decisions.js";
import { isHosted } from "./hosted-approval.js";
import { invokeTool } from "./invoke-tool.js";
import { runNested } from "./nested-run.js";
import type { OpenCall } from "./open-call.js";
import { abortedSkip, holdsFullProtocol, invalidArguments, notReadyOutcome, ok, skipped } from "./outcomes.js";
import { canonicalJson } from "../schema/canonical-json.js";
import { resourceArguments, writeKey } from "./resource.js";
import type { Run } from "./run.js";
import { showValue } from "./show-value.js";
import { aborted, orphanEnded, untilAbort, within } from "./until-abort.js";

const overSkip = skipped("the run failed before it started.");

/** The core of the tool pipeline: one attempt of one call, inside all middlewares. Never throws for what a tool does. */
export async function executeCall(run: Run, open: OpenCall, call: ToolCall): Promise<ToolOutcome> {
  const before = open.attempts;
  const attempted = await attempt(run, open, call);
  // A repetition that did not get to start leaves what the call has come to as it is.
  const outcome = attempted === abortedSkip || attempted === overSkip ? (open.coreOutcome ?? attempted) : attempted;
  open.coreOutcome = outcome;
  if (open.attempts > before) await recordOutcome(run, open, outcome);
  return outcome;
}

/** Tells the store what a call came to, unless it knows. */
export async function recordOutcome(run: Run, open: OpenCall, outcome: ToolOutcome): Promise<void> {
  if (run.store === undefined || outcome.kind === "interrupted" || open.recorded === outcome) return;
  open.recorded = outcome;
  await run.store.outcome(open.identity, boundedOutcome(outcome, run.kernel.maxOutputChars));
}

async function attempt(run: Run, open: OpenCall, call: ToolCall): Promise<ToolOutcome> {
  if (open.refusal !== undefined) return open.refusal;
  const tool = open.tool as RunnableTool;
  const checked = recheck(tool, open, call);
  if (!checked.ok) return invalidArguments(tool.info.name, checked.issues);
  // Done is done: a layer that calls again, whatever it took offence at, has what the call came to.
  if (open.coreOutcome?.kind === "ok" && holdsFullProtocol(tool.info)) return open.coreOutcome;

  open.finalArguments = checked.arguments;
  if (isAboutOthers(open, checked.arguments)) {
    open.askedAgain = true;
    return waiting;
  }
  const denied = decided(open);
  if (denied !== undefined) {
    claimCall(open);
    return denied;
  }
  const repeated = repeatsUnknown(run, open, tool, checked.arguments);
  const settledBefore = repeated === undefined ? undefined : await repeated;
  if (settledBefore !== undefined) return settledBefore;

  // Nothing is waited for that is there already: a call without approval, turn or package to wait for starts in the same
  // turn of the event loop as it is reached, so that the order of starts does not hang on how many layers there are.
  const preparing = prepare(run, open, tool, checked.arguments);
  const prepared = preparing instanceof Promise ? await untilAbort(run, preparing) : preparing;
  if (prepared === aborted) return abortedSkip;
  if ("kind" in prepared) return prepared;
  if (!prepared.ok) return invalidArguments(tool.info.name, prepared.issues);
  // Before its turn comes: all approvals of a step are asked at once.
  const approval = needsApproval(open, tool, call) ? await approve(run, open, tool, call, checked.arguments) : undefined;
  if (approval !== undefined) return approval;

  if (isOver(open)) return overSkip;
  if (tool.agent !== undefined) {
    // What has paused inside is taken call by call there.
    if (open.innerState === undefined) claimCall(open);
    const outcome = await runNested(run, open, tool, checked.arguments, prepared.invoke, timeLimit(tool, call));
    // It has started, and is not at work: without this, a store could not tell it from one that was cut off.
    if (outcome.kind === "interrupted") await run.store?.outcome(open.identity, outcome);
    return remembered(run, open, tool, checked.arguments, outcome);
  }
  const coming = open.ticket?.turn();
  const turn = coming instanceof Promise ? await untilAbort(run, coming) : coming;
  if (turn === aborted || run.abort.aborted) return abortedSkip;
  if (turn?.kind === "blocked") return skipped(turn.reason);
  if (turn?.kind === "paused") {
    open.behind = true;
    return waiting;
  }
  return inTurn(run, open, tool, checked.arguments, prepared.invoke, timeLimit(tool, call));
}

// A middleware threw, or answered without waiting for what it began: nothing starts behind its back.
const isOver = (open: OpenCall): boolean => open.failure !== undefined || open.outcome !== undefined;

// What breaks here, such as a package that cannot be imported, breaks before any effect.
function prepare(
  run: Run,
  open: OpenCall,
  tool: RunnableTool,
  checked: JsonObject,
): PreparedCall | ToolOutcome | Promise<PreparedCall | ToolOutcome> {
  const broken = (error: unknown): ToolOutcome => {
    run.kernel.log.error({ tool: tool.info.name, callId: open.callId, err: error }, "a tool could not be made ready");
    return notReadyOutcome(error);
  };
  try {
    const prepared = tool.prepare(checked);
    return prepared instanceof Promise ? within(tool, prepared).catch(broken) : prepared;
  } catch (error) {
    return broken(error);
  }
}

async function inTurn(
  run: Run,
  open: OpenCall,
  tool: RunnableTool,
  checked: JsonObject,
  invoke: (context: ToolContext) => unknown,
  limitMs: number,
): Promise<ToolOutcome> {
  // Again, since an equal call ahead on the same key may have come to an unknown end meanwhile.
  const repeated = repeatsUnknown(run, open, tool, checked);
  const settledBefore = repeated === undefined ? undefined : await repeated;
  if (settledBefore !== undefined) return settledBefore;
  claimCall(open);
  if (open.orphan !== undefined && tool.info.effect !== "read" && !(await orphanEnded(run, open, tool))) {
    return open.coreOutcome ?? abortedSkip;
  }
  const room = run.slots.take();
  if (room !== undefined && (await untilAbort(run, room)) === aborted) return abortedSkip;
  try {
    if (run.store !== undefined) {
      const { call } = open;
      await run.store.started({
        ...open.identity,
        tool: tool.info.identity,
        arguments: call.rawArguments,
        idempotencyKey: call.idempotencyKey,
      });
    }
    if (run.abort.aborted) return abortedSkip;
    if (isOver(open)) return overSkip;
    return remembered(run, open, tool, checked, await invokeTool(run, open, tool, checked, invoke, limitMs));
  } finally {
    run.slots.give();
  }
}

function remembered(run: Run, open: OpenCall, { info }: RunnableTool, checked: JsonObject, outcome: ToolOutcome): ToolOutcome {
  if (outcome.kind === "unknown") run.unknownWrites.set(writeKey(info.name, checked), open.call.idempotencyKey);
  return outcome;
}

// Less than the tool's own, if a middleware says so; never more.
function timeLimit({ info }: RunnableTool, { timeoutMs }: ToolCall): number {
  return timeoutMs !== undefined && timeoutMs >= 0 && timeoutMs < info.timeoutMs ? timeoutMs : info.timeoutMs;
}

function recheck(tool: RunnableTool, open: OpenCall, call: ToolCall): ReturnType<RunnableTool["check"]> {
  if (call.arguments === open.call.arguments) return { ok: true, arguments: call.arguments };
  const checked = tool.check(call.arguments);
  if (!checked.ok) return checked;
  if (isHosted(tool.info) && canonicalJson(checked.arguments) !== canonicalJson(open.call.arguments)) {
    throw new ToolwrightError("RUN_MIDDLEWARE", `A middleware changed the arguments of ${tool.info.name}, which its server has already.`, {
      fix: "Leave the arguments of a hosted MCP server's tools as they are.",
      details: { tool: tool.info.name },
    });
  }
  for (const name of resourceArguments(tool.info)) {
    if (canonicalJson(checked.arguments[name] ?? null) === canonicalJson(open.call.arguments[name] ?? null)) continue;
    throw new ToolwrightError(
      "RUN_MIDDLEWARE",
      `A middleware changed the argument ${name} of ${tool.info.name}, which its \`resource\` names.`,
      {
        fix: "Leave arguments that a resource names as they are: lanes were reserved by them.",
        details: { tool: tool.info.name, argument: name },
      },
    );
  }
  return checked;
}

// A person said yes to what they were shown, or to what they wrote; what a layer makes of it now is asked about anew.
function isAboutOthers({ decision, shown }: OpenCall, final: JsonObject): boolean {
  if (decision === undefined || !("approve" in decision) || !decision.approve) return false;
  const approved = editedArguments(decision) ?? shown;
  return approved !== undefined && canonicalJson(approved) !== canonicalJson(final);
}

function decided({ decision }: OpenCall): ToolOutcome | undefined {
  if (decision === undefined) return undefined;
  if ("resolve" in decision) return decision.resolve === "done" ? ok(showValue(decision.output)) : undefined;
  return decision.approve ? undefined : Object.freeze({ kind: "denied", reason: decision.reason ?? "a person refused it." });
}
