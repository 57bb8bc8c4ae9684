import type {
  FailedOutcome,
  InterruptedOutcome,
  InvalidOutcome,
  OkOutcome,
  OutcomeError,
  SkippedOutcome,
  ToolOutcome,
  UnknownOutcome,
} from "../contracts/outcome.js";
import type { Issue } from "../contracts/schema.js";
import type { ToolInfo } from "../contracts/tool.js";
import type { ToolError } from "../errors/tool-error.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { outcomeOutput } from "./history-outcome.js";

export const skipped = (reason: string): SkippedOutcome => Object.freeze({ kind: "skipped", reason });

/** Of a call that an abort came before. */
export const abortedSkip = skipped("the run was aborted before it started.");

/** `failed` with its cause kept for code and logs, but out of print and JSON. */
const failed = (error: OutcomeError, cause?: unknown): FailedOutcome => withCause({ kind: "failed", error }, cause);

const unknown = (error: OutcomeError, cause?: unknown): UnknownOutcome => withCause({ kind: "unknown", error }, cause);

function withCause<O extends FailedOutcome | UnknownOutcome>(outcome: O, cause: unknown): O {
  if (cause !== undefined) Object.defineProperty(outcome, "cause", { value: cause, enumerable: false });
  return Object.freeze(outcome);
}

export function invalid(
  code: string,
  message: string,
  more: { issues?: readonly Issue[]; tools?: readonly string[] } = {},
): InvalidOutcome {
  return Object.freeze({ kind: "invalid", error: { code, message, retryable: false, ...more } });
}

export function invalidArguments(tool: string, issues: readonly Issue[]): InvalidOutcome {
  return invalid("TOOL_ARGUMENTS_INVALID", `The arguments of ${tool} do not fit its schema. Nothing was run.`, { issues });
}

export function ok(output: OkOutcome["output"]): OkOutcome {
  return Object.freeze({ kind: "ok", output });
}

const doNotRepeat = "It may or may not have taken effect. Do not repeat it; tell the user that its outcome is unknown.";

/** Of a call that waited for a person when a new run began. */
export const waitedOutcome: ToolOutcome = skipped("it waited for a person, and the conversation went on without a decision.");

/** Of a call that waited for a person when its run ended: there is no state to resume, so nobody will ever decide it. */
export const unheardOutcome: ToolOutcome = skipped("it waited for a person, and the run ended.");

/** Of an agent used as a tool that waited for a person after it had begun to act, when nobody will decide any more. */
export const begunOutcome: ToolOutcome = unknown({
  code: "TOOL_OUTCOME_UNKNOWN",
  message: `The agent waited for a person, and nobody decided. It had begun to act. ${doNotRepeat}`,
  retryable: false,
});

/** What an agent comes to for the time being when something inside of it waits. */
export function interruptedAgent(reason: InterruptedOutcome["reason"], acted: boolean): ToolOutcome {
  return Object.freeze({ kind: "interrupted", reason, ...(acted && { output: outcomeOutput(begunOutcome) }) });
}

export const hasBegun = (outcome: ToolOutcome | undefined): boolean => outcome?.kind === "interrupted" && outcome.output !== undefined;

/** What a call that waited comes to when nobody decides: `otherwise`, unless it is of an agent that had begun to act. */
export const undecided = (outcome: ToolOutcome | undefined, otherwise: ToolOutcome): ToolOutcome =>
  hasBegun(outcome) ? begunOutcome : otherwise;

/** Of a call that had started when its process died. */
export function brokenOffOutcome(tool: string): ToolOutcome {
  return unknown({ code: "TOOL_OUTCOME_UNKNOWN", message: `${tool} was cut off while it ran. ${doNotRepeat}`, retryable: false });
}

/** What a throw means: certainly nothing done, or nobody knows. */
export function thrownOutcome(tool: ToolInfo, error: unknown): ToolOutcome {
  if (isToolError(error)) {
    return failed({ code: error.code, message: publicMessage(error), retryable: error.retryable }, error);
  }
  const reference = newReference();
  if (holdsFullProtocol(tool)) {
    return unknown(
      { code: "TOOL_OUTCOME_UNKNOWN", message: `${tool.name} broke off (reference ${reference}). ${doNotRepeat}`, retryable: false },
      error,
    );
  }
  return failed({ code: "TOOL_FAILED", message: `The tool failed (reference ${reference}).`, retryable: mayRepeat(tool) }, error);
}

/** Of something that went wrong before the method was called: certainly no effect. */
export function notReadyOutcome(error: unknown): ToolOutcome {
  if (isToolError(error)) return failed({ code: error.code, message: publicMessage(error), retryable: error.retryable }, error);
  return failed({ code: "TOOL_FAILED", message: `The tool could not start (reference ${newReference()}).`, retryable: false }, error);
}

const newReference = (): string => crypto.randomUUID().slice(0, 8);

export function timeoutOutcome(tool: ToolInfo, limitMs: number): ToolOutcome {
  const cause = new ToolwrightError("TOOL_TIMEOUT", `${tool.name} did not end within ${limitMs} ms.`);
  if (holdsFullProtocol(tool)) {
    return unknown(
      { code: "TOOL_TIMEOUT", message: `${tool.name} did not end within ${limitMs} ms. ${doNotRepeat}`, retryable: false },
      cause,
    );
  }
  return failed({ code: "TOOL_TIMEOUT", message: `${tool.name} did not end within ${limitMs} ms.`, retryable: mayRepeat(tool) }, cause);
}

/** Of a write that a layer did not wait for. */
export function leftRunningOutcome(tool: ToolInfo): ToolOutcome {
  const message = `${tool.name} was still running when a layer around it answered for it. ${doNotRepeat}`;
  return unknown({ code: "TOOL_OUTCOME_UNKNOWN", message, retryable: false });
}

/** Of a call that was running when the run was aborted. */
export function abortedOutcome(tool: ToolInfo, reason: unknown): ToolOutcome {
  if (holdsFullProtocol(tool)) {
    return unknown({ code: "TOOL_ABORTED", message: `${tool.name} was aborted while it ran. ${doNotRepeat}`, retryable: false }, reason);
  }
  return failed({ code: "TOOL_ABORTED", message: `${tool.name} was aborted while it ran.`, retryable: false }, reason);
}

/** Of an agent used as a tool that came to no answer: what its own tools had done by then is done. */
export function agentFailedOutcome(tool: ToolInfo, message: string, cause: unknown): ToolOutcome {
  if (!holdsFullProtocol(tool)) return failed({ code: "TOOL_AGENT_FAILED", message, retryable: false }, cause);
  return unknown({ code: "TOOL_AGENT_FAILED", message: `${message} It had begun to act. ${doNotRepeat}`, retryable: false }, cause);
}

export function echoOutcome(tool: ToolInfo, name: string): ToolOutcome {
  const message = `The result of ${tool.name} does not repeat the argument ${name}: it may belong to something else.`;
  if (holdsFullProtocol(tool)) return unknown({ code: "TOOL_ECHO_MISMATCH", message: `${message} ${doNotRepeat}`, retryable: false });
  return failed({ code: "TOOL_ECHO_MISMATCH", message, retryable: false });
}

/** A declared write that cannot be repeated: only for these is an outcome ever `unknown`. */
export function holdsFullProtocol(tool: ToolInfo): boolean {
  return tool.effectDeclared && tool.effect !== "read" && !tool.idempotent;
}

function mayRepeat(tool: ToolInfo): boolean {
  return tool.idempotent || (tool.effectDeclared && tool.effect === "read");
}

// By marker, since a tool package may have its own copy of this one.
function isToolError(error: unknown): error is ToolError {
  return ToolwrightError.is(error) && (error as { name?: unknown }).name === "ToolError";
}

// Without the "Fix:" line, which is for developers.
const publicMessage = (error: ToolError): string => error.message.split("\nFix: ")[0] as string;
