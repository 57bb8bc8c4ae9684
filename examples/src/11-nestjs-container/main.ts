// Tool classes whose instances a NestJS container makes. The agent is given the classes, and where to ask for instances: what
// the model sees is known without any, and a class is asked for at the first call of one of its tools.
import { NestFactory } from "@nestjs/core";
import { Agent, toolkits } from "@toolwright/core";
import { stepBudget } from "@toolwright/core/middleware";
import { createClient } from "../shared/create-client.js";
import { printAnswer } from "../shared/print-answer.js";
import { question, runExample } from "../shared/run-example.js";
import { Calculator, WarehouseTools } from "../toolwright.generated.js";
import { AppModule } from "./app-module.js";

await runExample(async () => {
  const container = await NestFactory.createApplicationContext(AppModule, { logger: ["error"] });
  try {
    await using connection = await createClient();
    const agent = new Agent({
      client: connection.client,
      model: connection.model,
      instructions: "Answer from the stock that the tool tells. Where it has found no article, say so; never guess a count.",
      tools: [toolkits([WarehouseTools, Calculator], { resolve: (Class) => container.get(Class) })],
      middleware: [stepBudget(4)],
    });
    const asked = question("How many of BOOK-1, BOOK-2 and BOOK-9 are in stock?");
    console.log(`> ${asked}`);
    const result = await agent.run(asked);
    for (const call of result.steps.flatMap(({ calls }) => calls)) {
      console.log(`${call.tool}(${JSON.stringify(call.arguments)}) → ${call.outcome.kind}`);
    }
    printAnswer(result);
  } finally {
    await container.close();
  }
});
