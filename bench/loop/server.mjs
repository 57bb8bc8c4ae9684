// A small model server for benchmarks, in a process of its own: it answers as scripted by the question and checks nothing,
// so that its own work stays out of the figures.
import { createServer } from "node:http";

const usage = {
  input_tokens: 10,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 5,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 15,
};
const sealed = "g".repeat(400);

function call(step, index) {
  return {
    id: `fc_${step}_${index}`,
    type: "function_call",
    status: "completed",
    call_id: `call_${step}_${index}`,
    name: "work",
    arguments: `{"id":"${step}-${index}","count":${index}}`,
  };
}

function output(plan, step) {
  if (step >= plan.steps)
    return [
      {
        id: "msg_1",
        type: "message",
        status: "completed",
        role: "assistant",
        content: [{ type: "output_text", text: "done", annotations: [] }],
      },
    ];
  const calls = Array.from({ length: plan.calls }, (_, index) => call(step, index));
  return [{ id: `rs_${step}`, type: "reasoning", summary: [], encrypted_content: sealed }, ...calls];
}

const envelope = (id, status, items) => ({
  id,
  object: "response",
  created_at: 1,
  model: "bench",
  status,
  error: null,
  incomplete_details: null,
  output: items,
  usage,
});

function stepOf(text, plan) {
  const previous = /"previous_response_id":"resp_(\d+)"/.exec(text);
  if (previous !== null) return Number(previous[1]) + 1;
  return (text.split('"type":"function_call_output"').length - 1) / plan.calls;
}

function stream(response, plan) {
  response.writeHead(200, { "content-type": "text/event-stream" });
  let sequence = 0;
  const event = (type, fields) => `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence++, ...fields })}\n\n`;
  const message = { id: "msg_1", type: "message", status: "in_progress", role: "assistant", content: [] };
  response.write(event("response.created", { response: envelope("resp_0", "in_progress", []) }));
  response.write(event("response.output_item.added", { output_index: 0, item: message }));
  let chunk = "";
  for (let index = 0; index < plan.deltas; index += 1) {
    chunk += event("response.output_text.delta", { item_id: "msg_1", output_index: 0, content_index: 0, delta: "word " });
    if (index % 20 === 19) {
      response.write(chunk);
      chunk = "";
    }
  }
  const text = "word ".repeat(plan.deltas);
  const done = { ...message, status: "completed", content: [{ type: "output_text", text, annotations: [] }] };
  response.end(
    chunk +
      event("response.output_item.done", { output_index: 0, item: done }) +
      event("response.completed", { response: envelope("resp_0", "completed", [done]) }),
  );
}

const server = createServer((request, response) => {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    const text = Buffer.concat(chunks).toString();
    // The plan rides in the instructions, which every request repeats: plan:{"steps":400,"calls":1}
    const plan = { steps: 0, calls: 1, deltas: 0, ...JSON.parse(/plan:(\{[^}]*\})/.exec(text)[1].replaceAll("\\", "")) };
    if (plan.deltas > 0) return stream(response, plan);
    const step = stepOf(text, plan);
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(envelope(`resp_${step}`, "completed", output(plan, step))));
  });
});
server.listen(0, "127.0.0.1", () => process.send?.(server.address().port));
