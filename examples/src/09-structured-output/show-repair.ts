import { Agent } from "@toolwright/core";
import { reply, startResponsesServer } from "@toolwright/testing";
import { OpenAI } from "openai";
import { TripPlan } from "../toolwright.generated.js";
import { printPlan } from "./show-class.js";

const day = (minutes: number, time: string) => ({
  city: "Kazan",
  days: [{ date: "2026-06-01T00:00:00Z", stops: [{ place: "Kremlin", time, minutes }] }],
  hint: null,
});

/** An answer that does not fit is given back to the model, with what is wrong; a step each time. */
export async function showRepair(): Promise<void> {
  console.log("\n== a repair (a script, never a real model: that one is held to the schema)");
  await using server = await startResponsesServer([
    reply.text(JSON.stringify(day(5, "half past nine"))),
    reply.text(JSON.stringify(day(45, "09:30"))),
  ]);
  const client = new OpenAI({ baseURL: server.url, apiKey: "stand-in" });
  // `outputRepairs` is how often; then the run fails with RUN_OUTPUT, and the error has the issues.
  const agent = new Agent({ client, model: "stand-in", output: TripPlan, outputRepairs: 1 });
  const result = await agent.run("Plan a day in Kazan.");
  const told = result.items.findLast(({ role }) => role === "user");
  console.log(`told     ${String(told?.["content"])}`);
  console.log(`steps    ${result.steps.length}`);
  printPlan(result);
}
