import type { OutcomeError, ToolOutcome, ToolOutput } from "../contracts/outcome.js";

/** What the model reads of an outcome. */
export function outcomeOutput(outcome: ToolOutcome): ToolOutput {
  if (outcome.output !== undefined) return outcome.output;
  switch (outcome.kind) {
    case "ok":
      return outcome.output;
    case "invalid":
    case "failed":
    case "unknown":
      return errorText(outcome.error);
    case "denied":
      return errorText({ code: "TOOL_DENIED", message: `The call was refused: ${outcome.reason}`, retryable: false });
    case "skipped":
      return errorText({ code: "TOOL_SKIPPED", message: `The call was not run: ${outcome.reason}`, retryable: false });
    case "interrupted":
      return errorText({ code: "TOOL_SKIPPED", message: "The call was not run: it waited for a person.", retryable: false });
    default:
      return assertNever(outcome);
  }
}

function errorText({ code, message, retryable, issues, tools }: OutcomeError): string {
  return JSON.stringify({ error: { code, message, retryable, issues, tools } });
}

function assertNever(outcome: never): never {
  throw new Error(`Unknown outcome: ${JSON.stringify(outcome)}`);
}
