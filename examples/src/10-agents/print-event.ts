import type { RunEvent } from "@toolwright/core";

/** A line for each call and each request; what happens inside of an agent stands further to the right. */
export function printEvent(event: RunEvent): void {
  const line = lineOf(event);
  // `path` has the names of the agents that the event came through.
  if (line !== undefined) console.log(`${"    ".repeat(event.path.length)}${line}`);
  if (event.type === "agent-event") printEvent(event.event);
}

function lineOf(event: RunEvent): string | undefined {
  switch (event.type) {
    case "tool-start":
      return `${event.tool}(${JSON.stringify(event.arguments)})`;
    case "tool-outcome":
      return `${event.tool}: ${event.outcome.kind}`;
    case "handoff":
      return `${event.from} hands over to ${event.to}`;
    default:
      return undefined;
  }
}
