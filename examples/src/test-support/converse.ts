import { planOffline } from "../shared/offline-planner.js";
import type { Plan, PlannedCall, PlannerRequest } from "../shared/plan.js";

type Tool = PlannerRequest["tools"][number];

/** A tool as a request declares it. */
export const tool = (name: string, ...parameters: string[]): Tool => ({
  type: "function",
  name,
  parameters: { type: "object", properties: Object.fromEntries(parameters.map((parameter) => [parameter, { type: "string" }])) },
});

/** Plays a whole conversation with the planner: each planned call is answered by `answer`. Gives every reply. */
export function converse(question: string, answer: (call: PlannedCall) => unknown, tools: readonly Tool[]): Plan[] {
  const outputs: PlannerRequest["outputs"][number][] = [];
  const replies: Plan[] = [];
  for (let step = 0; step < 6; step += 1) {
    const reply = planOffline({ question, tools, outputs, toolChoice: "auto" });
    replies.push(reply);
    if (reply.kind === "text") return replies;
    for (const call of reply.calls) {
      const value = answer(call);
      outputs.push({
        callId: `call_${outputs.length}`,
        name: call.name,
        arguments: call.arguments,
        text: JSON.stringify(value),
        value,
        step,
      });
    }
  }
  throw new Error("The conversation did not end.");
}

/** The calls of a reply; undefined when it is a text. */
export const callsOf = (plan: Plan | undefined): readonly PlannedCall[] | undefined => (plan?.kind === "calls" ? plan.calls : undefined);
