import type { RunResult } from "@toolwright/core";

/** Prints what the model answered. A run that stopped for another reason has no answer, and that is an error here. */
export function printAnswer(result: RunResult): void {
  switch (result.stopReason) {
    case "completed":
      console.log(result.output);
      break;
    case "refused":
      console.log(`The model refused: ${result.refusal}`);
      break;
    default:
      throw new Error(`The run stopped early: ${result.stopReason}.`);
  }
}
