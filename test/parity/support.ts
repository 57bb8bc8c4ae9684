import { Agent, type DefinedTool, type InterruptedResult, type Middleware, type RunResult, type RunState } from "@toolwright/core";
import { reply } from "@toolwright/testing";
import { inputOf, outputsIn, serve } from "../support/serve.js";
import { ends } from "../support/wait.js";

/** The result of a run that must wait for a person. */
export async function paused(run: Promise<RunResult<unknown>>): Promise<InterruptedResult> {
  const result = await ends(run);
  if (result.stopReason !== "interrupted") throw new Error(`The run has ${result.stopReason}.`);
  return result;
}

/** The state of a run that waits for a person. */
export function stateOf(result: RunResult<unknown>): RunState {
  if (result.stopReason !== "interrupted") throw new Error(`The run has ${result.stopReason}.`);
  return result.state;
}

/** What the model reads of one call of a tool. */
export async function outputOf(tool: DefinedTool, args: object, middleware: readonly Middleware[] = []): Promise<unknown> {
  await using stand = await serve([reply.calls({ callId: "call_1", name: tool.name, arguments: args }), reply.text("Done.")]);
  await ends(new Agent({ model: "test", client: stand.client, tools: [tool], middleware }).run("Go."));
  return outputsIn(inputOf(stand.server.request(1)))[0]?.[1];
}
