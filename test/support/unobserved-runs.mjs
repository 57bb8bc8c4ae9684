// A process with the default flags: a rejection that nobody observes ends it with code 1.
import { Agent, defineMiddleware, defineTool } from "@toolwright/core";
import { reply, startResponsesServer } from "@toolwright/testing";
import OpenAI from "openai";

const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

const tool = defineTool({
  name: "hang",
  description: "Hangs.",
  parameters: { type: "object", properties: {} },
  execute: () => new Promise(() => {}),
});
const forgets = defineMiddleware({ name: "forgets", wrapModelCall: async (call, next) => void next(call) });
const throws = defineMiddleware({
  name: "throws",
  wrapRun: () => {
    throw new Error("boom");
  },
});

const slow = reply.text("word ".repeat(100)).with({ deltaSize: 2, eventDelayMs: 5 });
const ends = {
  "an abort in the middle of a stream": { replies: [slow], abort: true },
  "an abort in the middle of a tool": { replies: [reply.calls({ name: "hang" })], abort: true },
  "a failed response": { replies: [reply.failed({ code: "server_error", message: "Broken." })] },
  "a cut connection": { replies: [reply.cut({}, reply.text("Hello."))] },
  "a wrap that throws": { replies: [], middleware: [throws] },
  "a wrap that forgets what it began": { replies: [reply.http(500)], middleware: [forgets] },
};

const uses = {
  "nothing at all": () => {},
  "the iteration alone": (stream) => iterate(stream),
  "the iteration with a late result": (stream) => iterate(stream).catch(() => setTimeout(() => stream.result.catch(() => {}), 20)),
  "the result alone, late": (stream) => setTimeout(() => stream.result.catch(() => {}), 60),
  "one event, then nothing": (stream) => void stream[Symbol.asyncIterator]().next(),
  "leaving by break": async (stream) => {
    for await (const event of stream) if (event.type === "step-start") break;
  },
};

async function iterate(stream) {
  for await (const _ of stream);
}

let combinations = 0;
for (const { replies, abort, middleware } of Object.values(ends)) {
  for (const use of Object.values(uses)) {
    const server = await startResponsesServer(replies);
    const client = new OpenAI({ baseURL: server.url, apiKey: "test" });
    const agent = new Agent({ model: "test", client, tools: [tool], middleware });
    const controller = new AbortController();
    // The loop's own error is the script's to catch; what else rejects is not.
    const used = Promise.resolve(use(agent.stream("Go.", { signal: controller.signal }))).catch(() => {});
    await sleep(30);
    if (abort) controller.abort(new Error("enough"));
    await Promise.race([used, sleep(100)]);
    await sleep(50);
    await server.close();
    combinations += 1;
  }
}
console.log(`${combinations} combinations`);
