import { Agent } from "@toolwright/core";
import type { ModelConnection } from "../shared/create-client.js";
import { packingList } from "./packing-list.js";

/** The same without a class. */
export async function showSchema({ client, model }: ModelConnection): Promise<void> {
  console.log("\n== a schema");
  const agent = new Agent({ client, model, output: packingList });
  const asked = "What do I pack for two rainy days in Kazan? Two or three things.";
  console.log(`> ${asked}`);
  const result = await agent.run(asked);
  if (result.stopReason !== "completed") throw new Error(`The run stopped early: ${result.stopReason}.`);
  console.log(JSON.stringify(result.output));
}
