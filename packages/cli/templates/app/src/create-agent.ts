import { Agent, type AgentOptions } from "@toolwright/core";
import { standard, stepBudget } from "@toolwright/core/middleware";
import { Calculator } from "./toolwright.generated.js";

/** The agent of this app; a test gives it a client of its own. */
export function createAgent(options: Pick<AgentOptions, "client"> = {}): Agent {
  return new Agent({
    model: process.env["OPENAI_MODEL"] ?? "gpt-5.4-mini",
    instructions: "Use the tools for every calculation.",
    tools: [new Calculator()],
    middleware: [stepBudget(10), ...standard()],
    ...options,
  });
}
