import type { Item } from "../contracts/item.js";
import type { ModelResponse } from "../contracts/model.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { tellWhole } from "./history-deltas.js";
import { onModelDelta } from "./model-step.js";
import type { Run } from "./run.js";

/**
 * A reply that no request of this step brought, such as a cache's: what the server would know it by is taken away. Item ids
 * would name what another request made, call ids may already be in this history, and reasoning belongs to where it came up.
 *
 * @throws ToolwrightError `RUN_MIDDLEWARE` where the server keeps the history: it would not have this reply in it; and for a
 * hosted call that waits for approval, which only the server that asked can make.
 */
export async function adoptReply(run: Run, response: ModelResponse): Promise<ModelResponse> {
  const { kind } = run.history.requestState();
  if (kind !== "local") {
    throw new ToolwrightError("RUN_MIDDLEWARE", `A middleware answered a model call by itself, with a history that is ${kind}.`, {
      fix: 'Use `history: { kind: "local" }` with middlewares that answer in the place of the model, such as cache and replay.',
    });
  }
  if (!Array.isArray(response.output)) {
    throw new ToolwrightError("RUN_MIDDLEWARE", "A middleware answered a model call with something that has no `output`.", {
      fix: "Return what `next(call)` gave, or `{ id, output, usage }` with a list of output items.",
    });
  }
  if (response.output.some((item) => item?.type === "mcp_approval_request")) {
    throw new ToolwrightError("RUN_MIDDLEWARE", "A middleware answered a model call with a hosted call that waits for approval.", {
      fix: "Do not keep replies that hold an `mcp_approval_request`: the server that made it knows it by its id.",
    });
  }
  const output = response.output.filter((item) => item?.type !== "reasoning").map(withoutIds);
  const adopted = Object.freeze({ ...response, id: undefined, output });
  run.responseId = undefined;
  await tellWhole(adopted, (delta) => onModelDelta(run, delta));
  return adopted;
}

function withoutIds(item: Item): Item {
  if (typeof item !== "object" || item === null) return item;
  const { id: _, ...rest } = item as Item & { readonly id?: unknown };
  return item.type === "function_call" || item.type === "custom_tool_call"
    ? ({ ...rest, call_id: `call_${crypto.randomUUID().replaceAll("-", "")}` } as unknown as Item)
    : (rest as Item);
}
