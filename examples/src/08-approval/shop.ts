import { join } from "node:path";
import { Agent } from "@toolwright/core";
import { approval, standard, stepBudget } from "@toolwright/core/middleware";
import { openOrderStore, OrderTools } from "@toolwright/tools-orders";
import { createClient } from "../shared/create-client.js";
import { folder } from "./paused-run.js";

/**
 * The agent that every process of this example makes anew. It must have the tools that the run was paused with. Dispose of it
 * at the end: `await using`.
 */
export async function openShop({ sampleData }: { readonly sampleData: boolean }): Promise<{ readonly agent: Agent } & AsyncDisposable> {
  const connection = await createClient();
  const orders = new OrderTools(openOrderStore({ path: join(folder, "orders.db"), sampleData }));
  const agent = new Agent({
    client: connection.client,
    model: connection.model,
    instructions: "Look orders up before you change them. Cancel an order only when the user asks for it.",
    tools: [orders],
    // Whatever is destructive waits for a person.
    middleware: [stepBudget(5), ...standard(), approval({ effects: ["destructive"] })],
  });
  return {
    agent,
    async [Symbol.asyncDispose]() {
      orders[Symbol.dispose]();
      await connection[Symbol.asyncDispose]();
    },
  };
}
