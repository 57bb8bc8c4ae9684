import { ToolwrightError } from "@toolwright/core";
import { createAgent } from "./create-agent.js";

const question = process.argv.slice(2).join(" ") || "What is 2.5 plus 4?";
try {
  const result = await createAgent().run(question);
  console.log(result.stopReason === "completed" ? result.output : `Stopped: ${result.stopReason}.`);
} catch (error) {
  if (!ToolwrightError.is(error)) throw error;
  // Its message says what happened, and what to do.
  console.error(error.message);
  process.exitCode = 1;
}
