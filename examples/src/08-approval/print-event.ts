import type { RunEvent } from "@toolwright/core";

/** A line for each call that starts, and for what it came to. */
export function printEvent(event: RunEvent): void {
  switch (event.type) {
    case "tool-start":
      console.log(`starts  ${event.tool}(${JSON.stringify(event.arguments)})`);
      break;
    case "tool-outcome":
      if (event.outcome.kind === "ok") console.log(`ok      ${event.tool}: ${String(event.outcome.output)}`);
      else if (event.outcome.kind === "denied") console.log(`denied  ${event.tool}: ${event.outcome.reason}`);
      else console.log(`${event.outcome.kind}  ${event.tool}`);
      break;
    default:
  }
}
