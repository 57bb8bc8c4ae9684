// Resumes a paused run in a process of its own: an agent that acts by itself and through another agent. Each effect is a line
// in a file: the tool, its argument and the call's key. With `dieAfter`, the process kills itself, without any farewell, right
// after the effect of that call.
import { appendFileSync, readFileSync } from "node:fs";
import { Agent, defineTool, sqliteSession } from "@toolwright/core";
import OpenAI from "openai";

/** Agent and inner agent with the tools `ask` (which waits for a person) and `write` (which does not). */
export function actingAgent({ url, effects, dieAfter }) {
  const client = new OpenAI({ baseURL: url, apiKey: "test" });
  const tool = (name, options) =>
    defineTool({
      name,
      description: `Does ${name}.`,
      effect: "write",
      ...options,
      parameters: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
      execute({ n }, { callId, idempotencyKey }) {
        appendFileSync(effects, `${name} ${n} ${idempotencyKey}\n`);
        if (callId === dieAfter) process.kill(process.pid, "SIGKILL");
        return `did ${n}`;
      },
    });
  const tools = () => [tool("ask", { approval: true, resource: "thing:{n}" }), tool("write", { resource: "thing:{n}" })];
  const helper = new Agent({ model: "inner", client, tools: tools() });
  const asTool = (name, approval) => helper.asTool({ name, description: "Helps.", ...(approval && { approval }) });
  return new Agent({ model: "outer", client, tools: [...tools(), asTool("helper"), asTool("asked_helper", true)] });
}

if (process.argv[1] === import.meta.filename) {
  const options = JSON.parse(process.argv[2]);
  const session = options.path === undefined ? undefined : sqliteSession({ path: options.path, id: "chat" });
  const history = session === undefined ? {} : { history: { kind: "local", session } };
  const answer = await actingAgent(options)
    .resume(readFileSync(options.state, "utf8"), { decisions: options.decisions, ...history })
    .then(
      ({ stopReason, output, interruptions, state }) => ({ stopReason, output, interruptions, state }),
      ({ code, message }) => ({ code, message }),
    );
  process.stdout.write(JSON.stringify(answer));
}
