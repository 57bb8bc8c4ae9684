// An app that uses tool packages by name alone: no import of theirs is in this file. What is installed, allowed and offered
// is read from their manifests; their code comes in when one of their tools is called.
import { Agent, ToolRegistry } from "@toolwright/core";
import { standard, stepBudget } from "@toolwright/core/middleware";
import { createClient } from "../shared/create-client.js";
import { printAnswer } from "../shared/print-answer.js";
import { question, runExample } from "../shared/run-example.js";
import { weatherChoice } from "../shared/weather-choice.js";
import { packageTable } from "./package-table.js";
import { watchImports } from "./watch-imports.js";

const weather = "@toolwright/tools-weather";
const orders = "@toolwright/tools-orders";

await runExample(async () => {
  const imported = watchImports([weather, orders]);
  const from = import.meta.url;

  console.log("One package is allowed, the other one only installed:");
  await using one = await ToolRegistry.discover({ from, allow: { [weather]: {} } });
  console.log(packageTable(one.list()));

  console.log("\nBoth are allowed, but not all of their tools:");
  await using registry = await ToolRegistry.discover({
    from,
    allow: {
      [weather]: { tools: ["get_weather"], config: { source: weatherChoice() === "live" ? "open-meteo" : "sample" } },
      [orders]: { prefix: "shop", effects: ["read"], config: { path: ":memory:", sampleData: true } },
    },
  });
  console.log(packageTable(registry.list()));

  await using connection = await createClient();
  const agent = new Agent({
    client: connection.client,
    model: connection.model,
    instructions: "Use the tools for facts.",
    tools: [registry],
    middleware: [stepBudget(5), ...standard()],
  });
  console.log(`\nThe agent is ready. Imported so far: ${[...imported].join(", ") || "nothing"}.`);

  const asked = question("What is the weather in Kazan, and how many of BOOK-1 are in stock?");
  console.log(`> ${asked}`);
  const result = await agent.run(asked);
  for (const call of result.steps.flatMap(({ calls }) => calls)) {
    console.log(`${call.tool}(${JSON.stringify(call.arguments)}) → ${call.outcome.kind}`);
  }
  console.log(`Imported for that: ${[...imported].sort().join(", ") || "nothing"}.`);
  printAnswer(result);
});
