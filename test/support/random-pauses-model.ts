import { createHash } from "node:crypto";
import type { Item } from "@toolwright/core";
import { type CallSpec, type OutputReply, reply, type Reply, type ScriptRequest } from "@toolwright/testing";
import type { PausePlan, PlannedCall, PlannedSteps } from "./random-pauses-plan.js";

/** What the model of a plan says to a request. It knows nothing but what the request lets it read. */
export function plannedModel(plan: PausePlan): (request: ScriptRequest) => Reply {
  return ({ body, context }) => {
    const start = context.findLastIndex((item) => startOf(item) !== undefined);
    const place = startOf(context[start]) ?? "";
    const since = context.slice(start + 1);
    const step = new Set(since.flatMap((item) => stepOf(item) ?? [])).size;
    // What is no start is a word about an answer that did not fit.
    const misfits = since.filter((item) => item["role"] === "user").length;
    const isFormed = JSON.stringify(body["text"] ?? {}).includes("json_schema");
    if (isFormed && place !== "end" && misfits < plan.misfits.count && step >= plan.misfits.after) return reply.text("Hm.");
    const calls = body.tool_choice === "none" ? undefined : stepsAt(plan.steps, place)?.[step];
    if (calls === undefined) return reply.text(isFormed ? JSON.stringify({ digest: digest(context) }) : digest(context));
    const made = calls.map((call, at) => callAt(call, place, step, at));
    return plan.thinks ? reply.output(reply.reasoning("Hm."), ...made) : reply.output(...made);
  };
}

/** Of a message that begins something: the place of the run that it is given to. */
function startOf(item: Item | undefined): string | undefined {
  if (item?.["role"] !== "user") return undefined;
  const { content } = item;
  const text = typeof content === "string" ? content : String((content as readonly { text?: string }[])[0]?.text);
  return /^at ([\d./]*|end)$/.exec(text)?.[1];
}

function stepOf(item: Item): string | undefined {
  const id = item.type === "mcp_approval_request" ? item["id"] : item.type.endsWith("_call") ? item["call_id"] : undefined;
  return /s(\d+)_\d+$/.exec(String(id))?.[1];
}

/** The steps of the run inside of the calls at these places. */
function stepsAt(steps: PlannedSteps, place: string): PlannedSteps | undefined {
  if (place === "end") return undefined;
  return place
    .split("/")
    .filter((part) => part !== "")
    .reduce<PlannedSteps | undefined>((inside, part) => {
      const [step = 0, at = 0] = part.split(".").map(Number);
      return inside?.[step]?.[at]?.steps;
    }, steps);
}

function callAt({ tool, n, key, wrong, steps }: PlannedCall, place: string, step: number, at: number): OutputReply {
  const callId = `s${step}_${at}`;
  if (tool === "query") return reply.items([{ type: "custom_tool_call", call_id: callId, name: tool, input: `row ${n}` }]);
  if (tool === "remote") {
    // The server's own items have ids that come once.
    const id = `mcpr_${place.replaceAll(/[./]/g, "_")}_${callId}`;
    return reply.items([{ type: "mcp_approval_request", id, server_label: "files", name: tool, arguments: `{"n":${n}}` }]);
  }
  const supplied =
    steps !== undefined
      ? { input: `at ${place === "" ? "" : `${place}/`}${step}.${at}` }
      : tool === "transfer"
        ? {}
        : { n, key, tag: null };
  const spec: CallSpec = { name: tool, callId, arguments: wrong === true ? '{"n":"many"' : supplied };
  return reply.calls(spec);
}

/** All that the model has read of calls and outputs, as a short text. */
function digest(context: readonly Item[]): string {
  const read = context.flatMap((item) => {
    if (item.type.endsWith("_output")) return [[item["call_id"], withoutReferences(JSON.stringify(item["output"]))]];
    if (item.type === "mcp_approval_response") return [[item["approval_request_id"], item["approve"], item["reason"]]];
    return item.type.endsWith("_call") ? [[item["call_id"], item["arguments"] ?? item["input"]]] : [];
  });
  return createHash("sha256").update(JSON.stringify(read)).digest("hex").slice(0, 16);
}

/** Without what is made up anew for each failure. */
export const withoutReferences = (text: string): string => text.replaceAll(/\(reference [\da-f]{8}\)/g, "(reference)");
