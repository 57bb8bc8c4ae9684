// An agent with two kits of tools. Ask it on the command line: npm start -- "What is the weather in Sochi?"
import { Agent } from "@toolwright/core";
import { logging, standard, stepBudget } from "@toolwright/core/middleware";
import { WeatherTools } from "@toolwright/tools-weather";
import { createClient } from "../shared/create-client.js";
import { question, runExample } from "../shared/run-example.js";
import { weatherService } from "../shared/weather-service.js";
import { Calculator } from "../toolwright.generated.js";

await runExample(async () => {
  await using connection = await createClient();
  const agent = new Agent({
    client: connection.client,
    model: connection.model,
    instructions: "Use the tools for facts and for calculations.",
    tools: [new WeatherTools(weatherService()), new Calculator()],
    // Arguments and outputs are logged only because `content` asks for them.
    middleware: [logging({ content: true, format: "pretty", stream: process.stdout }), stepBudget(5), ...standard()],
  });

  const asked = question();
  console.log(`> ${asked}`);
  const result = await agent.run(asked);
  switch (result.stopReason) {
    case "completed":
      console.log(result.output);
      break;
    case "refused":
      console.log(`The model refused: ${result.refusal}`);
      break;
    default:
      throw new Error(`The run stopped early: ${result.stopReason}.`);
  }
});
