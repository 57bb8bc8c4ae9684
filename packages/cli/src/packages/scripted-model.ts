import type { Model, ModelResponse } from "@toolwright/core";

const usage = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, reasoningTokens: 0, totalTokens: 0 };

/** A model that calls one tool with these arguments, as text, and then says that it is done. */
export function scriptedModel(tool: string, argumentsText: string): Model {
  const answer = (output: ModelResponse["output"]): ModelResponse => ({ id: undefined, usage, output });
  const call = { type: "function_call", id: "fc_1", call_id: "call_1", name: tool, arguments: argumentsText, status: "completed" };
  const done = {
    type: "message",
    role: "assistant",
    id: "msg_1",
    status: "completed",
    content: [{ type: "output_text", text: "Done.", annotations: [] }],
  };
  return {
    name: "scripted",
    respond: async ({ input }) => answer(input.some(({ type }) => type === "function_call") ? [done] : [call]),
  };
}
