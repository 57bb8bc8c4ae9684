// Our loop as a user gets it.
import { Agent, defineTool } from "@toolwright/core";
import { OpenAI } from "openai";

export function ours({ baseURL, tools, middleware = [] }) {
  const client = new OpenAI({ baseURL, apiKey: "bench" });
  const defined = tools.map((tool) => defineTool(tool));
  const agentFor = (instructions, chained) =>
    new Agent({
      model: "bench",
      client,
      instructions,
      tools: defined,
      middleware,
      maxSteps: 10_000,
      ...(chained && { history: { kind: "chained" } }),
    });
  const agents = new Map();
  const agent = (instructions, chained) => {
    const key = `${chained} ${instructions}`;
    if (!agents.has(key)) agents.set(key, agentFor(instructions, chained));
    return agents.get(key);
  };
  return {
    async run({ instructions, chained = false }) {
      return (await agent(instructions, chained).run("go")).output;
    },
    async stream({ instructions, onText }) {
      const stream = agent(instructions, false).stream("go");
      for await (const event of stream) if (event.type === "text-delta") onText(event.text);
      await stream.result;
    },
  };
}
