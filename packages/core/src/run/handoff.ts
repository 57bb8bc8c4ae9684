import type { CallRecord } from "../contracts/run.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import type { Kernel } from "./kernel.js";

/**
 * The agent that answers after these handoffs.
 *
 * @throws ToolwrightError `RUN_STATE` when one of them is no handoff of the agent it was made by.
 */
export function kernelAfter(kernel: Kernel, handoffs: readonly string[]): Kernel {
  return handoffs.reduce((from, name) => {
    const handoff = from.tools.byName.get(name)?.handoff;
    // Whoever made the tool gave the kernel of an agent.
    if (handoff !== undefined) return handoff.kernel() as Kernel;
    throw new ToolwrightError("RUN_STATE", `The run was handed over by ${JSON.stringify(name)}, which is no handoff of this agent.`, {
      fix: "Resume it with the agent that it was started with.",
    });
  }, kernel);
}

/** The handoff that a step's calls ask for: the first one that was carried out. */
export function handoffOf(kernel: Kernel, calls: readonly CallRecord[]): string | undefined {
  return calls.find(({ tool, outcome }) => outcome.kind === "ok" && kernel.tools.byName.get(tool)?.handoff !== undefined)?.tool;
}
