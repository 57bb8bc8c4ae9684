import { Agent, defineMiddleware, type AgentOptions, type ResponsesClient, type RunOptions, type Session } from "@toolwright/core";
import { reply } from "@toolwright/testing";
import { afterEach, describe, expect, it, vi } from "vitest";
import { approve, pause } from "../support/pausing.js";
import { serve } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends } from "../support/wait.js";
import { failureOf } from "../support/ways.js";

const boom = (): never => {
  throw new Error("boom");
};
const wrap = (hooks: object) => [defineMiddleware({ name: "odd", ...hooks })];
const post = (thrown: () => never): ResponsesClient => ({ post: () => thrown() });

interface Site {
  readonly name: string;
  readonly options?: Partial<AgentOptions>;
  readonly run?: RunOptions<unknown>;
  readonly input?: unknown;
  readonly code: string;
  readonly message?: string;
}

const sites: readonly Site[] = [
  {
    name: "a wrap of the run",
    options: { middleware: wrap({ wrapRun: boom }) },
    code: "RUN_MIDDLEWARE",
    message: '"odd" threw in wrapRun',
  },
  {
    name: "a wrap of the model call",
    options: { middleware: wrap({ wrapModelCall: boom }) },
    code: "RUN_MIDDLEWARE",
    message: '"odd" threw in wrapModelCall',
  },
  {
    name: "a wrap of a tool call",
    options: { middleware: wrap({ wrapToolCall: boom }) },
    code: "RUN_MIDDLEWARE",
    message: '"odd" threw in wrapToolCall',
  },
  {
    name: "the state of a middleware",
    options: { middleware: wrap({ state: boom }) },
    code: "RUN_MIDDLEWARE",
    message: '"odd" has no state',
  },
  { name: "instructions", options: { instructions: boom }, code: "RUN_FAILED", message: "boom" },
  { name: "a client that throws at once", options: { client: post(boom) }, code: "MODEL_CONNECTION", message: "boom" },
  { name: "a key function that fails", options: { client: undefined }, code: "MODEL_NO_API_KEY" },
  { name: "a model of one's own", options: { model: { name: "own", respond: boom } }, code: "MODEL_FAILED" },
  {
    name: "a session that cannot be read",
    run: { history: { kind: "local", session: { load: boom } as unknown as Session } },
    code: "RUN_FAILED",
    message: "boom",
  }, // nothing else is reached
  { name: "a history that is none", run: { history: { kind: "cloud" } as never }, code: "RUN_OPTIONS" },
  { name: "an input that is none", input: 12, code: "RUN_OPTIONS" },
  { name: "an empty input", input: [], code: "RUN_OPTIONS" },
];

describe("S13: what breaks before the stream has begun reaches its consumer", () => {
  afterEach(() => vi.unstubAllEnvs());

  it.each(sites)("$name", async ({ options, run, input = "Go.", code, message = "" }) => {
    vi.stubEnv("OPENAI_API_KEY", undefined);
    await using stand = await serve([reply.calls(callOf("look", "call_1", 1))], { allowUnused: true });
    const agent = new Agent({ model: "test", client: stand.client, tools: [numberTool("look", (n) => n)], ...options });
    const stream = agent.stream(input as string, run);
    const iterator = stream[Symbol.asyncIterator]();
    const iteration = (async () => {
      for (;;) if ((await iterator.next()).done === true) return;
    })();
    const thrown = await ends(failureOf(iteration), "The iteration");
    expect(thrown).toMatchObject({ code, message: expect.stringContaining(message) });
    expect(await ends(failureOf(stream.result), "The result")).toBe(thrown);
    // Asked again, it is over.
    expect(await ends(iterator.next())).toEqual({ value: undefined, done: true });
  });

  it.each(sites.filter(({ name }) => name !== "a wrap of a tool call"))(
    "the same for run(): $name",
    async ({ options, run, input = "Go.", code }) => {
      vi.stubEnv("OPENAI_API_KEY", undefined);
      await using stand = await serve([], { allowUnused: true });
      const agent = new Agent({ model: "test", client: stand.client, ...options });
      expect((await ends(failureOf(agent.run(input as string, run)))).code).toBe(code);
      expect(stand.server.requests).toHaveLength(0);
    },
  );

  it.each([
    ["a state that is none", {}, { version: 1 }],
    ["a state of another version", {}, { version: 2 }],
    ["a decision about nothing", { decisions: approve("call_9") }, undefined],
    ["a word that is none", { decisions: [{ callId: "call_1", approve: "yes" }] as never }, undefined],
  ])("of a resumed run as well: %s", async (_, options, odd) => {
    await using stand = await serve([reply.calls(callOf("ask", "call_1", 1))]);
    const agent = new Agent({ model: "test", client: stand.client, tools: [numberTool("ask", (n) => n, { approval: true })] });
    const { state } = await pause(ends(agent.run("Go.")));
    const stream = agent.stream((odd ?? state) as typeof state, options);
    const iteration = (async () => {
      for await (const __ of stream);
    })();
    const thrown = await ends(failureOf(iteration), "The iteration");
    expect(thrown.code).toBe("RUN_STATE");
    expect(await ends(failureOf(stream.result), "The result")).toBe(thrown);
  });
});
