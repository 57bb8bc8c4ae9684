// Stock of three articles, and a budget of four steps. A tool that says "not found" keeps the model from inventing a
// number; a budget keeps a model that asks for ever from asking for ever.
import { Agent, type RunResult, ToolwrightError } from "@toolwright/core";
import { stepBudget } from "@toolwright/core/middleware";
import { reply, startResponsesServer } from "@toolwright/testing";
import { openOrderStore, OrderTools } from "@toolwright/tools-orders";
import { OpenAI } from "openai";
import { createClient, type ModelConnection } from "../shared/create-client.js";
import { printAnswer } from "../shared/print-answer.js";
import { question, runExample } from "../shared/run-example.js";
import { workDone } from "../shared/work-done.js";
import { printSteps } from "./print-steps.js";

await runExample(async () => {
  await askForStock();
  await askForEver();
});

async function askForStock(): Promise<void> {
  await using connection = await createClient();
  const asked = question("How many of BOOK-1, BOOK-2 and BOOK-9 are in stock?");
  console.log(`> ${asked}`);
  const result = await ask(asked, connection);
  printSteps(result.steps);
  printAnswer(result);
}

async function askForEver(): Promise<void> {
  console.log("\nNow a model that never stops asking (a script, never a real model):");
  await using server = await startResponsesServer(({ index }) =>
    reply.calls({ callId: `call_${index}`, name: "get_stock", arguments: { sku: "BOOK-1" } }),
  );
  const client = new OpenAI({ baseURL: server.url, apiKey: "stand-in" });
  try {
    await ask("How many of BOOK-1 are in stock?", { client, model: "stand-in" });
    throw new Error("The budget did not end the run.");
  } catch (error) {
    if (!ToolwrightError.is(error, "RUN_BUDGET")) throw error;
    console.log(`${error.code}: ${error.message}`);
    const { steps, usage } = workDone(error);
    console.log(`The work done until then, in ${usage.requests} requests:`);
    printSteps(steps);
  }
}

async function ask(asked: string, { client, model }: Pick<ModelConnection, "client" | "model">): Promise<RunResult> {
  using orders = new OrderTools(openOrderStore());
  const agent = new Agent({
    client,
    model,
    instructions: "Answer from the stock that the tool tells. Where it has found no article, say so; never guess a count.",
    tools: [orders],
    middleware: [stepBudget(4)],
    // The default, written out: this program keeps the history, and every request says `store: false`.
    history: { kind: "local" },
  });
  // Awaited here: the tools are disposed of when this function ends.
  return await agent.run(asked);
}
