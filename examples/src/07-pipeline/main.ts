// A middleware of one's own in a pipeline with those of the package.
import { Agent } from "@toolwright/core";
import { logging, standard, stepBudget } from "@toolwright/core/middleware";
import { openOrderStore, OrderTools } from "@toolwright/tools-orders";
import { createClient } from "../shared/create-client.js";
import { printAnswer } from "../shared/print-answer.js";
import { question, runExample } from "../shared/run-example.js";
import { audit } from "./audit.js";

await runExample(async () => {
  await using connection = await createClient();
  using orders = new OrderTools(openOrderStore());
  const agent = new Agent({
    client: connection.client,
    model: connection.model,
    instructions: "Look orders up before you change them. Cancel an order only when the user asks for it.",
    tools: [orders],
    middleware: [logging({ format: "pretty", stream: process.stdout }), stepBudget(5), ...standard()],
  });
  // It comes last, which would be innermost; its own `order` moves it outside toolRetry.
  agent.use(audit);
  console.log(agent.explain());

  const conditional = question("When does order F arrive? If it takes more than 3 days, cancel it.");
  for (const asked of [conditional, "When does order A arrive?"]) {
    console.log(`\n> ${asked}`);
    const result = await agent.run(asked);
    printAnswer(result);
  }
});
