import type { StepRecord, ToolOutcome } from "@toolwright/core";

/** Prints each call of each step and what became of it. */
export function printSteps(steps: readonly StepRecord[]): void {
  for (const { index, calls } of steps) {
    for (const { tool, arguments: given, outcome } of calls) {
      console.log(`step ${index}  ${tool}(${JSON.stringify(given)}) → ${describe(outcome)}`);
    }
  }
}

function describe(outcome: ToolOutcome): string {
  switch (outcome.kind) {
    case "ok":
      return typeof outcome.output === "string" ? outcome.output : JSON.stringify(outcome.output);
    case "skipped":
    case "denied":
    case "interrupted":
      return `${outcome.kind}: ${outcome.reason}`;
    default:
      return `${outcome.kind}: ${outcome.error.message}`;
  }
}
