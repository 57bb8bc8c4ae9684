// The baseline: a careful loop written by hand on the official client. It checks arguments against the schema, runs calls
// side by side, turns errors into outputs, heeds abort and a step limit, and keeps reasoning.
import { OpenAI } from "openai";
import { z } from "zod";

const Arguments = z.strictObject({ id: z.string(), count: z.number() });

export function floor({ baseURL, tools, fetch }) {
  const client = new OpenAI({ baseURL, apiKey: "bench", maxRetries: 0, fetch });
  const specs = tools.map(({ name, description, parameters }) => ({ type: "function", name, description, parameters, strict: true }));
  const byName = new Map(tools.map((tool) => [tool.name, tool]));

  async function output(item, signal) {
    let text;
    try {
      const tool = byName.get(item.name);
      if (tool === undefined) throw new Error(`There is no tool ${item.name}.`);
      const parsed = Arguments.parse(JSON.parse(item.arguments));
      text = JSON.stringify(await tool.execute(parsed, { signal }));
    } catch (error) {
      text = JSON.stringify({ error: String(error.message) });
    }
    return { type: "function_call_output", call_id: item.call_id, output: text };
  }

  return {
    async run({ instructions, chained = false, maxSteps = 10_000, signal = new AbortController().signal }) {
      let input = [{ type: "message", role: "user", content: "go" }];
      let previous;
      for (let step = 0; step < maxSteps; step += 1) {
        signal.throwIfAborted();
        const response = await client.responses.create(
          {
            model: "bench",
            instructions,
            input,
            tools: specs,
            ...(chained ? { previous_response_id: previous } : { store: false, include: ["reasoning.encrypted_content"] }),
          },
          { signal },
        );
        if (response.status !== "completed") throw new Error(response.status);
        const calls = response.output.filter((item) => item.type === "function_call");
        if (calls.length === 0) return response.output_text;
        const outputs = await Promise.all(calls.map((item) => output(item, signal)));
        previous = response.id;
        if (chained) input = outputs;
        else input.push(...response.output, ...outputs);
      }
      throw new Error("step limit");
    },
    async stream({ instructions, onText }) {
      const events = await client.responses.create({ model: "bench", instructions, input: "go", tools: specs, store: false, stream: true });
      let completed = false;
      for await (const event of events) {
        if (event.type === "response.output_text.delta") onText(event.delta);
        if (event.type === "response.completed") completed = true;
        if (event.type === "response.failed" || event.type === "error") throw new Error("failed");
      }
      if (!completed) throw new Error("the stream ended early");
    },
  };
}
