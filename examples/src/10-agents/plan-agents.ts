import { type Planner, reply } from "@toolwright/testing";
import { answerOffline } from "../shared/create-client.js";
import { readQuestion } from "../shared/read-question.js";

/** The stand-in for all agents of this example. Whom it stands in for, it sees by the tools. */
export const planAgents: Planner = (view) => {
  const isDesk = view.tools.some(({ name }) => name === "ask_orders");
  if (!isDesk) return answerOffline(view);
  if (/\bcomplain/i.test(view.question)) return reply.calls({ name: "transfer_to_complaints", arguments: {} });
  const answered = new Set(view.outputs.map(({ arguments: made }) => (made as { readonly input?: unknown }).input));
  const sentences = view.question.split(/(?<=[.?!])\s+/);
  const tasks = sentences.flatMap((input) => {
    const kind = readQuestion(input)[0]?.kind;
    if (kind === undefined || answered.has(input)) return [];
    return [{ name: kind === "weather" || kind === "forecast" ? "ask_weather" : "ask_orders", arguments: { input } }];
  });
  if (tasks.length > 0) return reply.calls(...tasks);
  return reply.text(view.outputs.map(({ text }) => text).join("\n") || "I can't answer that offline.");
};
