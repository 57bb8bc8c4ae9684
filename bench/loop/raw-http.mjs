// The practical limit: the same loop on node:http, without any client package.
import { Agent, request } from "node:http";

export function rawHttp({ baseURL, tools }) {
  const url = new URL(`${baseURL}/responses`);
  const agent = new Agent({ keepAlive: true });
  const specs = JSON.stringify(
    tools.map(({ name, description, parameters }) => ({ type: "function", name, description, parameters, strict: true })),
  );
  const byName = new Map(tools.map((tool) => [tool.name, tool]));

  const post = (body, onChunk) =>
    new Promise((resolve, reject) => {
      const sent = request(
        url,
        { method: "POST", agent, headers: { "content-type": "application/json", "content-length": Buffer.byteLength(body) } },
        (reply) => {
          if (onChunk !== undefined) {
            reply.setEncoding("utf8").on("data", onChunk).on("end", resolve);
            return;
          }
          const chunks = [];
          reply.on("data", (chunk) => chunks.push(chunk)).on("end", () => resolve(JSON.parse(Buffer.concat(chunks).toString())));
        },
      );
      sent.on("error", reject);
      sent.end(body);
    });

  async function output(item) {
    let text;
    try {
      text = JSON.stringify(await byName.get(item.name).execute(JSON.parse(item.arguments), {}));
    } catch (error) {
      text = JSON.stringify({ error: String(error.message) });
    }
    return { type: "function_call_output", call_id: item.call_id, output: text };
  }

  return {
    async run({ instructions, chained = false, maxSteps = 10_000 }) {
      const head = `{"model":"bench","instructions":${JSON.stringify(instructions)},"tools":${specs},`;
      let input = ['{"type":"message","role":"user","content":"go"}'];
      let previous;
      for (let step = 0; step < maxSteps; step += 1) {
        const state = chained
          ? previous === undefined
            ? ""
            : `"previous_response_id":"${previous}",`
          : '"store":false,"include":["reasoning.encrypted_content"],';
        const response = await post(`${head}${state}"input":[${input.join(",")}]}`);
        const calls = response.output.filter((item) => item.type === "function_call");
        if (calls.length === 0) return "done";
        const outputs = (await Promise.all(calls.map(output))).map((item) => JSON.stringify(item));
        previous = response.id;
        if (chained) input = outputs;
        else input.push(...response.output.map((item) => JSON.stringify(item)), ...outputs);
      }
      throw new Error("step limit");
    },
    async stream({ instructions, onText }) {
      let rest = "";
      await post(
        `{"model":"bench","instructions":${JSON.stringify(instructions)},"tools":${specs},"store":false,"stream":true,"input":"go"}`,
        (chunk) => {
          const lines = (rest + chunk).split("\n");
          rest = lines.pop();
          for (const line of lines) {
            if (!line.startsWith("data: ")) continue;
            const event = JSON.parse(line.slice(6));
            if (event.type === "response.output_text.delta") onText(event.delta);
          }
        },
      );
    },
  };
}
