// One request with two tools. It prints the calls that the model asks for, and runs none of them.
import { toolDefinitions } from "@toolwright/core";
import { WeatherTools } from "@toolwright/tools-weather";
import { createClient } from "../shared/create-client.js";
import { question, runExample } from "../shared/run-example.js";
import { weatherService } from "../shared/weather-service.js";
import { Calculator } from "../toolwright.generated.js";

await runExample(async () => {
  await using connection = await createClient();
  const offered = ["get_weather", "calculate"];
  const tools = toolDefinitions([new WeatherTools(weatherService()), new Calculator()]).filter((tool) => offered.includes(tool.name));

  const response = await connection.client.responses.create({
    model: connection.model,
    input: question("What is the weather in Kazan and in Sochi?"),
    // The client's type wants a plain record.
    tools: tools.map((tool) => ({ ...tool, parameters: { ...tool.parameters } })),
    store: false,
  });

  const calls = response.output.filter((item) => item.type === "function_call");
  for (const call of calls) console.log(`${call.name}  ${call.arguments}  ${call.call_id}`);
  if (calls.length === 0) console.log(`No calls. The model answers: ${response.output_text}`);
});
