// Two calls of one tool, of which the first ends last. Each answer goes to the call that asked for it, by its call id,
// and the model reads them in its own order, whoever keeps the history: this program (local) or the server (chained).
import { Agent, type HistoryOption } from "@toolwright/core";
import { reply, startResponsesServer } from "@toolwright/testing";
import { openOrderStore, OrderTools } from "@toolwright/tools-orders";
import { OpenAI } from "openai";
import { printAnswer } from "../shared/print-answer.js";
import { runExample } from "../shared/run-example.js";
import { holdA } from "./hold-a.js";
import { printRequest } from "./print-request.js";

interface Variant {
  readonly title: string;
  readonly history: HistoryOption;
  /** Lets the call for order B fail. */
  readonly cancelB?: boolean;
  /** What the model says at the end. */
  readonly answer: string;
}

const variants: readonly Variant[] = [
  { title: "local history", history: { kind: "local" }, answer: "A arrives in 2 days, B in 5." },
  { title: "chained history", history: { kind: "chained" }, answer: "A arrives in 2 days, B in 5." },
  { title: "only B fails", history: { kind: "local" }, cancelB: true, answer: "A arrives in 2 days. B was cancelled." },
];

await runExample(async () => {
  console.log("A stand-in server with scripted replies, never a real model: the order of calls is the point here.");
  for (const variant of variants) await show(variant);
});

async function show({ title, history, cancelB, answer }: Variant): Promise<void> {
  await using server = await startResponsesServer([
    reply.calls(
      { callId: "call_A", name: "get_delivery", arguments: { orderId: "A" } },
      { callId: "call_B", name: "get_delivery", arguments: { orderId: "B" } },
    ),
    reply.text(answer),
  ]);
  const store = openOrderStore();
  if (cancelB === true) await store.perform({ kind: "cancel", orderId: "B" }, { idempotencyKey: "before the run" });
  using orders = new OrderTools(store);

  const ended: string[] = [];
  const agent = new Agent({
    client: new OpenAI({ baseURL: server.url, apiKey: "stand-in" }),
    model: "stand-in",
    instructions: "Use the tools for facts.",
    tools: [orders],
    middleware: [holdA(ended)],
    history,
  });
  const result = await agent.run("When do orders A and B arrive?");

  console.log(`\n== ${title}`);
  console.log(`the calls ended in this order: ${ended.join(", ")}`);
  printRequest(server.request(1));
  printAnswer(result);
  server.assertDone();
}
