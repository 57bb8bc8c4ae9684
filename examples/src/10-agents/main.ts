// Agents in agents: two as tools, one of which needs a person's approval; a handoff; and a budget over all of them.
import { type Agent, type RunResult, ToolwrightError } from "@toolwright/core";
import { openOrderStore, OrderTools } from "@toolwright/tools-orders";
import { createClient } from "../shared/create-client.js";
import { printAnswer } from "../shared/print-answer.js";
import { question, runExample } from "../shared/run-example.js";
import { workDone } from "../shared/work-done.js";
import { makeDesk } from "./make-desk.js";
import { planAgents } from "./plan-agents.js";
import { printEvent } from "./print-event.js";

await runExample(async () => {
  await using connection = await createClient(planAgents);
  using orders = new OrderTools(openOrderStore());
  const desk = makeDesk(connection, orders, 20);
  await showAgentsAsTools(desk);
  await showHandoff(desk);
  await showBudget(makeDesk(connection, orders, 3));
});

async function showAgentsAsTools(desk: Agent): Promise<void> {
  const asked = question("Cancel order F because I moved. What is the weather in Kazan?");
  console.log(`\n== agents as tools\n> ${asked}`);
  let result = await shown(desk, asked);
  while (result.stopReason === "interrupted") {
    // The call waits two runs further down; it is decided here, at the top.
    const decisions = result.interruptions.map(({ callId, path = [], tool, arguments: given }) => {
      console.log(`a person says yes to ${[...path, tool].join(" › ")} ${JSON.stringify(given)}`);
      return { callId, approve: true } as const;
    });
    const stream = desk.stream(result.state, { decisions });
    for await (const event of stream) printEvent(event);
    result = await stream.result;
  }
  printAnswer(result);
  console.log(`requests: ${result.usage.requests}, those of the agents below included`);
}

async function showHandoff(desk: Agent): Promise<void> {
  const asked = "I want to complain. When does order B arrive?";
  console.log(`\n== a handoff\n> ${asked}`);
  const result = await shown(desk, asked);
  printAnswer(result);
  console.log(`answered by ${result.agent}`);
}

async function showBudget(desk: Agent): Promise<void> {
  const asked = "When does order A arrive? What is the weather in Sochi?";
  console.log(`\n== a budget of three requests over all\n> ${asked}`);
  try {
    await desk.run(asked);
    // A real model may find a way that is shorter.
    console.log("three were enough");
  } catch (error) {
    if (!ToolwrightError.is(error, "RUN_BUDGET")) throw error;
    console.log(`${error.code}: ${error.message}`);
    console.log(`requests: ${workDone(error).usage.requests}`);
  }
}

async function shown(desk: Agent, asked: string): Promise<RunResult> {
  const stream = desk.stream(asked);
  for await (const event of stream) printEvent(event);
  return stream.result;
}
