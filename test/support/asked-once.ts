/** The text of a program that asks an app's registry for a batch of calls, and prints what became of each as a line of JSON. */
export function askOnce(allow: object, calls: readonly (readonly [tool: string, given: object])[], more = ""): string {
  return `
import { Agent, ToolRegistry } from "@toolwright/core";
${more}
let asked = 0;
const usage = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, reasoningTokens: 0, totalTokens: 0 };
const calls = ${JSON.stringify(calls)}.map(([name, given], index) => ({ type: "function_call", id: "fc_" + index, call_id: "call_" + index, name, arguments: JSON.stringify(given), status: "completed" }));
const message = { type: "message", role: "assistant", id: "msg_1", status: "completed", content: [{ type: "output_text", text: "Done.", annotations: [] }] };
const model = { name: "stand-in", respond: async () => ({ id: undefined, usage, output: asked++ === 0 ? calls : [message] }) };
const registry = await ToolRegistry.discover({ from: import.meta.url, allow: ${JSON.stringify(allow)} });
const result = await new Agent({ model, tools: [registry] }).run("Go.");
for (const { outcome } of result.steps[0].calls) console.log(JSON.stringify({ ...outcome, cause: outcome.cause?.message }));
`;
}

/** One outcome as such a program prints it. */
export interface PrintedOutcome {
  readonly kind: string;
  readonly output?: unknown;
  readonly error?: { readonly code: string; readonly message: string };
  readonly cause?: string;
}

/** The outcomes of a batch. */
export const outcomesIn = (text: string): readonly PrintedOutcome[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as PrintedOutcome);
