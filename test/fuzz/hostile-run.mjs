// A process with little memory in which a model calls tools with hostile texts, one after the other, over real HTTP.
// Prints a line of JSON for each. That it ends well is part of what is tested.
import { Agent } from "@toolwright/core";
import { reply, startResponsesServer } from "@toolwright/testing";
import OpenAI from "openai";
import { cases, tools } from "./hostile-cases.mjs";

for (const { name, tool, make } of cases(process.argv[2] === "long")) {
  const call = reply.calls({ callId: "call_1", name: tool, arguments: make() });
  const server = await startResponsesServer([call, reply.text("Done.")]);
  const client = new OpenAI({ baseURL: server.url, apiKey: "test" });
  const agent = new Agent({ model: "test", client, tools });
  const start = performance.now();
  const result = await agent.run("Call the tool.");
  const milliseconds = performance.now() - start;
  await server.close();
  const { outcome } = result.steps[0].calls[0];
  console.log(
    JSON.stringify({
      name,
      kind: outcome.kind,
      code: outcome.error?.code,
      issues: outcome.error?.issues?.length,
      // What the model reads of it.
      characters: JSON.stringify(outcome).length,
      milliseconds: Math.round(milliseconds),
      answer: result.output,
    }),
  );
}
