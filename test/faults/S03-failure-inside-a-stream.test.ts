import { Agent, type RunEvent, ToolwrightError } from "@toolwright/core";
import { modelRetry } from "@toolwright/core/middleware";
import { reply, type Reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { serve } from "../support/serve.js";
import { ends } from "../support/wait.js";
import { failureOf } from "../support/ways.js";

const broken = { code: "server_error", message: "The server had an error." };
const created = { type: "response.created", response: { id: "resp_1", status: "in_progress", output: [] } };
const text = [
  {
    type: "response.output_item.added",
    output_index: 0,
    item: { id: "msg_1", type: "message", role: "assistant", status: "in_progress", content: [] },
  },
  { type: "response.output_text.delta", output_index: 0, item_id: "msg_1", content_index: 0, delta: "Hel" },
];

const failures: readonly (readonly [string, Reply])[] = [
  ["response.failed", reply.failed(broken, reply.text("Hel")).with({ responseId: "resp_1" })],
  ["an error event", reply.error(broken, reply.text("Hel")).with({ responseId: "resp_1" })],
  [
    "an error event without its event line",
    reply.error(broken, reply.text("Hel")).with({ responseId: "resp_1", framing: { eventLines: false } }),
  ],
  ["an error event with a nested error", reply.events([created, ...text, { type: "error", error: broken }])],
  ["an error without a type, as chat gateways send it", reply.events([created, ...text, `data: ${JSON.stringify({ error: broken })}\n\n`])],
];

describe("S03: a failure inside a 200 stream ends the run", () => {
  it.each(failures)("%s rejects iteration and result with code, message, response id and partial text", async (_, failure) => {
    await using stand = await serve([failure]);
    const agent = new Agent({ model: "test", client: stand.client });
    const stream = agent.stream("Hello?");
    const events: RunEvent[] = [];
    const iteration = (async () => {
      for await (const event of stream) events.push(event);
    })();
    const [thrown, error] = await ends(Promise.all([failureOf(iteration), failureOf(stream.result)]));

    expect(thrown).toBe(error);
    expect(error.code).toBe("MODEL_FAILED");
    expect(error.message).toContain("The server had an error.");
    expect(error.details).toMatchObject({ code: "server_error", responseId: "resp_1", partialText: "Hel" });
    expect(events.filter((event) => event.type === "text-delta").map((event) => event.text)).toEqual(["Hel"]);
    expect(events.at(-1)).toMatchObject({ type: "run-end", stopReason: "error" });
    expect(stand.server.requests).toHaveLength(1);
  });

  it("a cancelled response is a failed one", async () => {
    await using stand = await serve([
      reply.events([created, { type: "response.cancelled", response: { id: "resp_1", status: "cancelled", output: [] } }]),
    ]);
    const agent = new Agent({ model: "test", client: stand.client });
    expect((await ends(failureOf(agent.stream("Hello?").result))).code).toBe("MODEL_FAILED");
  });

  it("is not repeated when text has been delivered", async () => {
    await using stand = await serve([reply.failed(broken, reply.text("Hel"))]);
    const agent = new Agent({ model: "test", client: stand.client, middleware: [modelRetry({ minDelayMs: 1 })] });
    const stream = agent.stream("Hello?");
    const error = await ends(
      failureOf(
        (async () => {
          for await (const _ of stream);
        })(),
      ),
    );
    expect(ToolwrightError.is(error, "MODEL_FAILED")).toBe(true);
    expect(stand.server.requests).toHaveLength(1);
  });

  it("can be seen and repeated by a middleware when nothing has been delivered", async () => {
    await using stand = await serve([reply.failed(broken), reply.text("Hello.")]);
    const agent = new Agent({ model: "test", client: stand.client, middleware: [modelRetry({ minDelayMs: 1 })] });
    expect(await ends(agent.stream("Hello?").result)).toMatchObject({ stopReason: "completed", output: "Hello.", usage: { requests: 2 } });
    stand.server.assertDone();
  });
});
