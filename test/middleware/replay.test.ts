import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  Agent,
  type AgentOptions,
  defineTool,
  type DefinedTool,
  type Middleware,
  type Model,
  type RunState,
  ToolError,
} from "@toolwright/core";
import { modelRetry, replay, type ReplayOptions, standard, stepBudget, toolRetry, untrusted } from "@toolwright/core/middleware";
import { reply, type Script } from "@toolwright/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { outputsIn, serve } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { collect, failureOf } from "../support/ways.js";

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "replay "));
  file = join(folder, "runs.jsonl");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const lines = async (): Promise<readonly string[]> => (await readFile(file, "utf8")).trimEnd().split("\n");

/** A model that must not be asked. */
const nobody: Model = { name: "test", respond: () => Promise.reject(new Error("The model was asked.")) };

type More = Partial<Omit<AgentOptions, "output">>;
const player = (more: More = {}, options: Partial<ReplayOptions> = {}, around: readonly Middleware[] = []) =>
  new Agent<unknown>({ model: nobody, middleware: [...around, replay({ file, mode: "replay", ...options })], ...more });

/** Records runs on these questions. */
async function record(script: Script, questions: readonly string[], more: More = {}, around: readonly Middleware[] = []) {
  await using stand = await serve(script);
  const agent = new Agent({ model: "test", client: stand.client, middleware: [...around, replay({ file, mode: "record" })], ...more });
  const results = [];
  for (const question of questions) results.push(await agent.run(question).catch((error: unknown) => error as Error));
  stand.server.assertDone();
  return results;
}

const twoSteps = [
  reply.output(reply.reasoning("Hm."), reply.calls(callOf("look", "call_1", 1), callOf("look", "call_2", 2))),
  reply.calls(callOf("look", "call_3", 3)),
  reply.text("It is six."),
];

/** A tool that says how often it has run, and when. */
function look() {
  const ran: number[] = [];
  return { ran, tools: [numberTool("look", (n) => `${n} as number ${ran.push(n)} at ${performance.now()}`)] };
}

describe("replay", () => {
  it("plays a run back without asking the model or running a tool", async () => {
    const recorded = look();
    const [first] = await record(twoSteps, ["What is it?"], { tools: recorded.tools });
    const played = look();
    const { result, events } = await collect(player({ tools: played.tools }), "What is it?");
    expect(result).toMatchObject({ stopReason: "completed", output: "It is six.", usage: { requests: 0 } });
    expect(recorded.ran).toEqual([1, 2, 3]);
    expect(played.ran).toEqual([]);
    const texts = (items: Parameters<typeof outputsIn>[0]) => outputsIn(items).map(([, output]) => output);
    expect(texts(result.items)).toEqual(texts((first as typeof result).items));
    expect(events.flatMap((event) => (event.type === "text-delta" ? [event.text] : [])).join("")).toBe("It is six.");
  });

  it("runs the tools of a replayed run when asked to", async () => {
    const tools = [numberTool("look", (n) => n * 10)];
    await record(twoSteps, ["What is it?"], { tools });
    const ran: number[] = [];
    const again = [numberTool("look", (n) => (ran.push(n), n * 10))];
    expect(await player({ tools: again }, { tools: "run" }).run("What is it?")).toMatchObject({ output: "It is six." });
    expect(ran).toEqual([1, 2, 3]);
    // What another outcome leads to is not the recorded request any more.
    const other = player({ tools: [numberTool("look", (n) => n * 11)] }, { tools: "run" });
    await expect(other.run("What is it?")).rejects.toMatchObject({ code: "RUN_REPLAY", details: { place: "input[3].output" } });
  });

  it("binds outcomes to their calls, however many are equal and in whatever order they end", async () => {
    let count = 0;
    const slow = numberTool("look", async (n) => {
      const mine = (count += 1);
      await new Promise((resolve) => setTimeout(resolve, 40 - 10 * mine));
      return `${n} as number ${mine}`;
    });
    const calls = [1, 1, 2, 1].map((n, at) => callOf("look", `call_${at}`, n));
    const [first] = await record([reply.calls(...calls), reply.text("Done.")], ["Go."], { tools: [slow] });
    const result = await player({ tools: [slow] }).run("Go.");
    const texts = (items: Parameters<typeof outputsIn>[0]) => outputsIn(items).map(([, output]) => output);
    expect(texts(result.items)).toEqual(["1 as number 1", "1 as number 2", "2 as number 3", "1 as number 4"]);
    expect(texts(result.items)).toEqual(texts((first as typeof result).items));
    expect(count).toBe(4);
  });

  it("plays failures of requests and of tools, attempt by attempt, and the error of the run", async () => {
    let attempts = 0;
    const flaky = () => [
      numberTool("look", () => {
        attempts += 1;
        if (attempts < 3) throw new ToolError({ code: "BUSY", message: "Busy.", retryable: true });
        return "here";
      }),
    ];
    const retries = [modelRetry({ minDelayMs: 1, maxDelayMs: 1 }), toolRetry({ minDelayMs: 1, maxDelayMs: 1 })];
    const script = [
      reply.http(503, {}),
      reply.calls(callOf("look", "call_1", 1)),
      reply.http(400, { code: "invalid_prompt", message: "That is no prompt." }),
    ];
    const [failed] = await record(script, ["Go."], { tools: flaky() }, retries);
    attempts = 0;
    const error = await failureOf(player({ tools: flaky() }, {}, retries).run("Go."));
    expect(attempts).toBe(0);
    expect(error).toMatchObject({
      code: "MODEL_BAD_REQUEST",
      message: (failed as Error).message,
      details: { status: 400, code: "invalid_prompt" },
    });
    expect(error.result.steps[0]?.calls[0]).toMatchObject({ outcome: { kind: "ok", output: "here" } });
  });

  it("plays a run that waited for a person, before and after", async () => {
    const ran: number[] = [];
    const tools = [numberTool("pay", (n) => (ran.push(n), "paid"), { effect: "write", approval: true })];
    await using stand = await serve([reply.calls(callOf("pay", "call_1", 7)), reply.text("Paid.")]);
    const decide = async (agents: readonly [Agent, Agent], approve = true) => {
      const paused = await agents[0].run("Pay.");
      expect(paused).toMatchObject({ stopReason: "interrupted", interruptions: [{ tool: "pay", arguments: { n: 7 } }] });
      const state = JSON.parse(JSON.stringify(paused.state)) as RunState;
      return agents[1].resume(state, { decisions: paused.interruptions.map(({ callId }) => ({ callId, approve })) });
    };
    const recorder = () => new Agent({ model: "test", client: stand.client, tools, middleware: [replay({ file, mode: "record" })] });
    expect(await decide([recorder(), recorder()])).toMatchObject({ output: "Paid." });
    expect(await decide([player({ tools }), player({ tools })])).toMatchObject({ output: "Paid." });
    expect(ran).toEqual([7]);
    // What was recorded is what came of a yes.
    const denied = await failureOf(decide([player({ tools }), player({ tools })], false));
    expect(denied).toMatchObject({ code: "RUN_REPLAY" });
    expect(denied.result.steps[0]?.calls[0]?.outcome.kind).toBe("denied");
  });

  it("keeps several runs in one file, each under the number of its beginning or under a key", async () => {
    const script = [reply.text("One."), reply.text("Two."), reply.text("Three.")];
    await record(script, ["1?", "2?", "3?"]);
    const agent = player();
    expect(await agent.run("1?")).toMatchObject({ output: "One." });
    expect(await agent.run("2?")).toMatchObject({ output: "Two." });
    await expect(agent.run("2?")).rejects.toMatchObject({ code: "RUN_REPLAY", details: { place: "input[0].content" } });
    await expect(agent.run("4?")).rejects.toMatchObject({ code: "RUN_REPLAY", message: expect.stringContaining("has no recording run#4") });

    const key = ({ app }: { readonly app: unknown }) => String(app);
    await using stand = await serve([reply.text("Ann."), reply.text("Ben.")]);
    const recorder = new Agent({ model: "test", client: stand.client, middleware: [replay({ file, mode: "record", key })] });
    for (const app of ["ann", "ben"]) await recorder.run("Who?", { app });
    const keyed = player({}, { key });
    expect(await keyed.run("Who?", { app: "ben" })).toMatchObject({ output: "Ben." });
    expect(await keyed.run("Who?", { app: "ann" })).toMatchObject({ output: "Ann." });
  });

  it("plays what was recorded last, and a whole run rather than a broken one", async () => {
    await record([reply.text("Old.")], ["Go."]);
    await record([reply.text("New.")], ["Go."]);
    expect(await player().run("Go.")).toMatchObject({ output: "New." });
    const text = await readFile(file, "utf8");
    await writeFile(file, text.split("\n").slice(0, -2).join("\n"));
    expect(await player().run("Go.")).toMatchObject({ output: "Old." });
  });

  it("records what is not there and plays what is, when left to itself", async () => {
    await using stand = await serve([reply.text("One."), reply.text("Two.")]);
    const make = () => new Agent({ model: "test", client: stand.client, middleware: [replay({ file })] });
    const first = make();
    expect(await first.run("1?")).toMatchObject({ output: "One.", usage: { requests: 1 } });
    const second = make();
    expect(await second.run("1?")).toMatchObject({ output: "One.", usage: { requests: 0 } });
    expect(await second.run("2?")).toMatchObject({ output: "Two.", usage: { requests: 1 } });
    expect(stand.server.requests).toHaveLength(2);
  });

  it("records runs beside each other", async () => {
    await using stand = await serve(({ context }) => reply.text(`Answer to ${String(context[0]?.["content"])}`));
    const agent = new Agent({ model: "test", client: stand.client, middleware: [replay({ file, mode: "record" })] });
    const questions = Array.from({ length: 8 }, (_, index) => `Question ${index}`);
    await Promise.all(questions.map((question) => agent.run(question)));
    const played = player();
    const results = await Promise.all(questions.map((question) => played.run(question)));
    expect(results.map(({ output }) => output)).toEqual(questions.map((question) => `Answer to ${question}`));
  });

  it("goes with fences, whose letters are others in each run, and with the other layers", async () => {
    const around = [untrusted(), stepBudget(5), ...standard()];
    await record(twoSteps, ["What is it?"], { tools: look().tools }, around);
    expect(await player({ tools: look().tools }, {}, around).run("What is it?")).toMatchObject({ output: "It is six." });
  });
});

describe("a replayed run that is another", () => {
  const tools = look().tools;
  it.each<[place: string, question: string, more: More]>([
    ["input[0].content", "What is that?", {}],
    ["instructions", "What is it?", { instructions: "Be brief." }],
    ["settings.temperature", "What is it?", { settings: { temperature: 1 } }],
    ["tools[0].description", "What is it?", { tools: [described("Looks away.")] }],
    ["tools[1]", "What is it?", { tools: [...tools, numberTool("other", () => 1)] }],
    ["model", "What is it?", { model: { ...nobody, name: "other" } }],
  ])("is told where it differs first, and no value: %s", async (place, question, more) => {
    await record(twoSteps, ["What is it?"], { tools });
    const error = await failureOf(player({ tools, ...more }).run(question));
    expect(error).toMatchObject({ code: "RUN_REPLAY", details: { key: "run#1", step: 0, request: 0, place } });
    expect(error.message).toContain(`differ at \`${place}\``);
    expect(error.message).not.toContain("What is");
  });

  it("is told when the recording is at its end, or has no such call", async () => {
    await record([reply.calls(callOf("look", "call_1", 1)), reply.text("Done.")], ["Go."], { tools });
    await expect(player({ tools }, {}, [stepTwice()]).run("Go.")).rejects.toMatchObject({
      code: "RUN_REPLAY",
      message: expect.stringMatching(/step \d: (?:the recording has no request|request 2 of this run is not)/),
    });
    const changed: Middleware = { name: "change", wrapToolCall: (call, next) => next({ ...call, arguments: { n: 9 } }) };
    await expect(player({ tools }, {}, [changed]).run("Go.")).rejects.toMatchObject({
      code: "RUN_REPLAY",
      message: expect.stringContaining("has no outcome for this call of look"),
    });
  });

  it("is refused where the server keeps the history, when it is recorded too", async () => {
    await using stand = await serve([]);
    for (const mode of ["record", "auto"] as const) {
      const middleware = [replay({ file, mode })];
      const agent = new Agent({ model: "test", client: stand.client, middleware, history: { kind: "chained" } });
      await expect(agent.run("Go.")).rejects.toMatchObject({
        code: "RUN_REPLAY",
        message: expect.stringContaining("that of this run is chained"),
      });
    }
    expect(stand.server.requests).toHaveLength(0);
  });
});

/** Asks twice in each step. */
function stepTwice(): Middleware {
  return { name: "twice", repeats: true, wrapModelCall: async (call, next) => (await next(call), next(call)) };
}

function described(description: string): DefinedTool {
  const parameters = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] } as const;
  return defineTool({ name: "look", description, effect: "read", parameters, execute: () => 1 });
}

describe("the file of a recording", () => {
  it("has a line for each thing that happened, says a request once, and is for its owner alone", async () => {
    const long = "z".repeat(5_000);
    const tools = [numberTool("look", () => long)];
    const script = Array.from({ length: 10 }, (_, step) => reply.calls(callOf("look", `call_${step}`, step)));
    await record([...script, reply.text("Done.")], ["Go."], { tools, instructions: "Look at it all." });
    const text = await readFile(file, "utf8");
    const records = text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { type: string; n: number });
    expect(records.map(({ type }) => type)).toEqual(["run", ...Array.from({ length: 10 }, () => ["model", "tool"]).flat(), "model", "end"]);
    expect(records.map(({ n }) => n)).toEqual(records.map((_, index) => index));
    // Each output as an outcome and in the request after it; nothing is said again with every step.
    expect(text.split(long)).toHaveLength(2 * 10 + 1);
    expect(text.split("Look at it all.")).toHaveLength(2);
    expect(text.split("Does look.")).toHaveLength(2);
    if (process.platform !== "win32") expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it("makes its directory", async () => {
    file = join(folder, "deep/down/runs.jsonl");
    await record([reply.text("One.")], ["1?"]);
    expect(await player().run("1?")).toMatchObject({ output: "One." });
  });

  it("says in words that its last line is torn, and can be gone on with", async () => {
    await record(twoSteps, ["What is it?"], { tools: look().tools });
    const whole = await readFile(file, "utf8");
    const kept = whole.trimEnd().split("\n").slice(0, -2);
    await writeFile(file, `${kept.join("\n")}\n${whole.trimEnd().split("\n").at(-2)?.slice(0, 40)}`);
    const error = await failureOf(player({ tools: look().tools }).run("What is it?"));
    expect(error).toMatchObject({ code: "RUN_REPLAY", details: { step: 2 } });
    expect(error.message).toContain("the recording has no request 3: it has 2. The recording has no end: it broke off while it was made.");
    expect(error.message).toContain(`Line ${kept.length + 1} of the file is torn: it was cut off while it was written.`);
    expect(error.result.steps).toHaveLength(2);
    await record(twoSteps, ["What is it?"], { tools: look().tools });
    expect(await player({ tools: look().tools }).run("What is it?")).toMatchObject({ output: "It is six." });
  });

  it("does not count an aborted run as one that came to its end", async () => {
    await using stand = await serve([reply.calls(callOf("look", "call_1", 1)), reply.text("Done.")]);
    const controller = new AbortController();
    const tools = [numberTool("look", () => (controller.abort(), new Promise(() => {})))];
    const agent = new Agent({ model: "test", client: stand.client, tools, middleware: [replay({ file })] });
    await expect(agent.run("Go.", { signal: controller.signal })).rejects.toMatchObject({ code: "RUN_ABORTED" });
    expect((await lines()).map((line) => (JSON.parse(line) as { type: string }).type)).toEqual(["run", "model"]);
  });

  it.each([
    ["is not there", undefined, /has no recording run#1/],
    ["is something else", "Dear diary,\n", /line 1, is not of a recording/],
    [
      "is of a later release",
      '{"run":"a","n":0,"type":"run","format":2,"key":"run#1"}\n',
      /line 1, is not of a recording that this release can read/,
    ],
  ])("is refused in words when it %s", async (_, text, message) => {
    if (text !== undefined) await writeFile(file, text);
    await expect(player().run("Go.")).rejects.toMatchObject({ code: "RUN_REPLAY", message: expect.stringMatching(message) });
  });

  it("fails the run when it cannot be written", async () => {
    await using stand = await serve([]);
    const agent = new Agent({ model: "test", client: stand.client, middleware: [replay({ file: folder, mode: "record" })] });
    await expect(agent.run("Go.")).rejects.toMatchObject({ code: "RUN_REPLAY", message: expect.stringContaining("cannot be written") });
    expect(stand.server.requests).toHaveLength(0);
  });

  it("loses the last line at most when the process is killed", async () => {
    const script = `
      import { Agent, defineTool } from "@toolwright/core";
      import { replay } from "@toolwright/core/middleware";
      let step = 0;
      const model = { name: "test", async respond() {
        const n = (step += 1);
        return { id: "resp_" + n, usage: {}, output: [{ type: "function_call", call_id: "call_" + n, name: "look", arguments: JSON.stringify({ n }) }] };
      } };
      const parameters = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
      const look = defineTool({ name: "look", description: "Does look.", effect: "read", parameters, execute: ({ n }) => { process.stdout.write(n + "\\n"); return "seen " + n; } });
      await new Agent({ model, tools: [look], maxSteps: 1_000_000, middleware: [replay({ file: ${JSON.stringify(file)}, mode: "record" })] }).run("Go.");`;
    const cwd = fileURLToPath(new URL("..", import.meta.url));
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], { cwd, stdio: ["ignore", "pipe", "inherit"] });
    let told = "";
    for await (const chunk of child.stdout) {
      told += String(chunk);
      if (told.split("\n").length > 50) child.kill("SIGKILL");
    }
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    const reached = Number(told.trimEnd().split("\n").at(-1));
    expect(reached).toBeGreaterThanOrEqual(50);
    const tools = [numberTool("look", () => "not run")];
    const error = await failureOf(player({ tools, maxSteps: 1_000_000 }).run("Go."));
    expect(error).toMatchObject({ code: "RUN_REPLAY" });
    // A tool was started when the reply that called it was in the file: all replies up to then, and their outcomes, are there.
    const outcomes = error.result.steps.map(({ calls }) => calls[0]?.outcome);
    expect(outcomes.length).toBeGreaterThanOrEqual(reached - 1);
    expect(outcomes.slice(0, reached - 1)).toEqual(
      Array.from({ length: reached - 1 }, (_, index) => ({ kind: "ok", output: `seen ${index + 1}` })),
    );
  }, 30_000);
});

describe("replay refuses", () => {
  it.each([
    [{}, /needs a `file`/],
    [{ file: "" }, /`file` must be a text; it is ""/],
    [{ file: "a", mode: "play" }, /`mode` must be one of "record", "replay", "auto"; it is "play"/],
    [{ file: "a", tools: true }, /`tools` must be one of "replay", "run"; it is true/],
    [{ file: "a", key: 5 }, /`key` must be a text, or a function; it is 5/],
    [{ path: "a" }, /has no option "path"/],
  ])("%j", (options, message) => {
    expect(() => replay(options as never)).toThrow(message);
  });

  it("a key that is no text, in the run", async () => {
    await expect(player({}, { key: () => "" }).run("Go.")).rejects.toMatchObject({
      code: "RUN_OPTIONS",
      message: expect.stringContaining('it gave ""'),
    });
  });
});
