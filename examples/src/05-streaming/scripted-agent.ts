import { Agent } from "@toolwright/core";
import { startResponsesServer, type Reply } from "@toolwright/testing";
import { openOrderStore, OrderTools } from "@toolwright/tools-orders";
import { OpenAI } from "openai";
import { packOrder } from "./pack-order.js";

/** An agent of a shop whose model says what the script says. Dispose of it at the end: `await using`. */
export async function scriptedAgent(script: readonly Reply[]): Promise<{ readonly agent: Agent } & AsyncDisposable> {
  const server = await startResponsesServer(script);
  const orders = new OrderTools(openOrderStore());
  const agent = new Agent({
    client: new OpenAI({ baseURL: server.url, apiKey: "stand-in" }),
    model: "stand-in",
    tools: [orders, packOrder],
  });
  return {
    agent,
    async [Symbol.asyncDispose]() {
      orders[Symbol.dispose]();
      await server.close();
    },
  };
}
