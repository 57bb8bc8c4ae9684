// A run that waits for a person: it pauses, the process ends, and another process goes on with it.
//   npm run example -- 08                        asks, pauses, and ends with the run in a file
//   npm run example -- 08 approve call_1         from any terminal, now or next week
//   npm run example -- 08 deny call_2 Keep it.
import { type Agent, type AgentStream, type Decision, type RunResult, ToolwrightError } from "@toolwright/core";
import { printAnswer } from "../shared/print-answer.js";
import { question, runExample } from "../shared/run-example.js";
import { clearFolder, putRun, takeRun } from "./paused-run.js";
import { printEvent } from "./print-event.js";
import { openShop } from "./shop.js";

const [command, callId, ...words] = process.argv.slice(2);

await runExample(async () => {
  if (command === "approve" || command === "deny") await decide(decision());
  else await ask();
});

async function ask(): Promise<void> {
  clearFolder();
  const asked = question("When does order B arrive? Cancel orders A and F because I moved.");
  await follow({ sampleData: true }, (agent) => {
    console.log(`> ${asked}`);
    return agent.stream(asked);
  });
}

async function decide(made: Decision): Promise<void> {
  // Whoever takes the run has it alone: no decision is carried out twice.
  const state = takeRun();
  try {
    await follow({ sampleData: false }, (agent) => agent.stream(state, { decisions: [made] }));
  } catch (error) {
    // A decision about a call that does not wait: nothing has run, and the run is as it was.
    if (ToolwrightError.is(error, "RUN_STATE")) putRun(state);
    throw error;
  }
}

/** Shows a run until its next pause, which goes to the file, or its end. */
async function follow(options: { readonly sampleData: boolean }, start: (agent: Agent) => AgentStream): Promise<void> {
  const result = await shown(options, start);
  if (result.stopReason !== "interrupted") {
    clearFolder();
    return printAnswer(result);
  }
  // The whole run as JSON: counters, history, what has run, what waits. Any store will do.
  putRun(JSON.stringify(result.state));
  for (const waiting of result.interruptions)
    console.log(`waits   ${waiting.tool}(${JSON.stringify(waiting.arguments)})  ${waiting.callId}`);
  console.log("The run is in a file now. From any terminal: npm run example -- 08 approve CALL, or deny CALL and why.");
}

async function shown(options: { readonly sampleData: boolean }, start: (agent: Agent) => AgentStream): Promise<RunResult> {
  await using shop = await openShop(options);
  const stream = start(shop.agent);
  for await (const event of stream) printEvent(event);
  return await stream.result;
}

function decision(): Decision {
  if (callId === undefined) throw new Error(`Which call? For instance: npm run example -- 08 ${command} call_1`);
  if (command === "approve") return { callId, approve: true };
  // The model reads the reason.
  return { callId, approve: false, ...(words.length > 0 && { reason: words.join(" ") }) };
}
