// Starts a run in the background, prints the id of its response, and waits: the one who started this process ends it.
import { Agent } from "@toolwright/core";
import OpenAI from "openai";

const [baseURL, question] = process.argv.slice(2);
const agent = new Agent({
  model: "test",
  client: new OpenAI({ baseURL, apiKey: "test" }),
  background: { pollMs: 5, onStarted: ({ responseId }) => console.log(responseId) },
});
await agent.run(question);
