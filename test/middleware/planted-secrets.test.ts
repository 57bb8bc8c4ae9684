import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Collector, startCollector } from "../support/otlp-collector.js";
import { scratchApp } from "../support/scratch-app.js";

/** What is planted, and where. */
const planted = {
  key: "sk-planted-key-000111222333",
  header: "tenant-secret-77",
  email: "ann.planted@example.com",
  password: "planted-password-9",
  output: "planted-output-8",
  token: "ghp_plantedtoken0123456789",
  word: "Planted-Name",
  instructions: "planted-instructions-5",
} as const;
type Planted = keyof typeof planted;

interface Report {
  /** Everything that was printed, by what and how. */
  readonly printed: Readonly<Record<string, string>>;
  /** Bodies of the requests, by scenario. */
  readonly sent: Readonly<Record<string, string>>;
  readonly ends: Readonly<Record<string, string>>;
  /** What tools were called with. */
  readonly got: readonly string[];
}

let collector: Collector;
let report: Report;
/** Lines of pino, and what else the program wrote. */
let logged: string;

const found = (text: string): readonly Planted[] => (Object.keys(planted) as Planted[]).filter((name) => text.includes(planted[name]));

beforeAll(async () => {
  collector = await startCollector();
  using app = scratchApp(["openai", "pino"]);
  app.install(["@toolwright/testing", "openai", "pino"]);
  for (const name of ["api", "context-async-hooks", "exporter-metrics-otlp-http", "exporter-trace-otlp-http", "sdk-metrics", "sdk-trace"]) {
    app.install([`@opentelemetry/${name}`]);
  }
  app.write({ "program.mjs": program, "planted.json": planted });
  const { code, stdout, stderr } = await app.node(["program.mjs"], { ...process.env, NO_COLOR: "1", COLLECTOR: collector.url });
  if (code !== 0) throw new Error(`The program ended with ${code}:\n${stdout}${stderr}`);
  report = JSON.parse(readFileSync(join(app.folder, "report.json"), "utf8")) as Report;
  logged = stdout + stderr;
}, 60_000);
afterAll(() => collector[Symbol.asyncDispose]());

describe("planted secrets, with logging, tracing and redaction at their defaults", () => {
  it("every scenario came to what it was meant to, and the tools got the true values", () => {
    expect(report.ends).toEqual({
      completed: "completed",
      streamed: "completed",
      interrupted: "interrupted",
      resumed: "completed",
      refused: "refused",
      "wrong key": "MODEL_AUTHENTICATION",
      blocked: "RUN_BLOCKED",
      aborted: "RUN_ABORTED",
      "tool ends the run": "RUN_TOOL_FAILED",
    });
    expect(new Set(report.got)).toEqual(new Set([`${planted.email} ${planted.password}`]));
  });

  it("lines of pino tell of calls, runs and failures, and of nothing that is planted", () => {
    const lines = logged
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { readonly event?: string; readonly msg?: string });
    const events = new Set(lines.map(({ event }) => event));
    expect([...events].toSorted()).toEqual(["model-call", "run-end", "run-failed", "tool-attempt", "tool-call"]);
    expect(logged).toContain("reference");
    expect(found(logged)).toEqual([]);
  });

  it("spans and metrics came over HTTP, and hold nothing that is planted", () => {
    const names = new Set(collector.spans.map(({ name }) => name));
    expect([...names]).toEqual(expect.arrayContaining(["invoke_agent clerk", "chat test", "execute_tool log_in", "execute_tool break"]));
    expect(collector.spans.some(({ status }) => status.code === 2)).toBe(true);
    expect(new Set(collector.points.map(({ metric }) => metric)).size).toBe(4);
    expect(found(collector.text)).toEqual([]);
  });

  it("nothing that is printed shows it: agents, streams, results, errors, middlewares, the pipeline", () => {
    const names = Object.keys(report.printed);
    for (const what of ["agent", "stream", "result", "error", "error's stack", "error's result", "middleware", "pipeline"]) {
      expect(
        names.some((name) => name.includes(what)),
        what,
      ).toBe(true);
    }
    const leaks = Object.entries(report.printed).flatMap(([name, text]) => found(text).map((secret) => `${name}: ${secret}`));
    expect(leaks).toEqual([]);
  });

  it("requests hold what the model must know, and nothing else", () => {
    const { "without redaction": plain = "", ...redacted } = report.sent;
    for (const [scenario, text] of Object.entries(redacted)) {
      const mayKnow: readonly Planted[] = ["instructions", "output", "password"];
      expect(
        found(text).filter((name) => !mayKnow.includes(name)),
        scenario,
      ).toEqual([]);
    }
    expect(Object.values(redacted).join("")).toContain("<EMAIL_1>");
    // The model is told what the user says, unless it is redacted; never what a tool threw, nor a key.
    expect(found(plain)).toEqual(["email", "password", "output", "word", "instructions"]);
  });
});

const program = `
import { readFileSync, writeFileSync } from "node:fs";
import { inspect } from "node:util";
import { context } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-http";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import { BatchSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import OpenAI from "openai";
import pino from "pino";
import { Agent, defineTool } from "@toolwright/core";
import { afterUntrusted, inputGuard, logging, outputGuard, redact, standard, toolErrors, toolGuard, tracing, untrusted } from "@toolwright/core/middleware";
import { reply, startResponsesServer } from "@toolwright/testing";

const S = JSON.parse(readFileSync("planted.json", "utf8"));
const printed = {};
const sent = {};
const ends = {};
const got = [];

const url = process.env.COLLECTOR;
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
const tracerProvider = new TracerProvider({ spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url: url + "/v1/traces" }) })] });
const meterProvider = new MeterProvider({ readers: [new PeriodicExportingMetricReader({ exporter: new OTLPMetricExporter({ url: url + "/v1/metrics" }), exportIntervalMillis: 3600000 })] });
const logger = pino({ level: "trace" });

function print(name, value) {
  const ways = {
    inspect: inspect(value, { depth: 12 }),
    "inspect inside": inspect([{ value }], { depth: 12 }),
    string: String(value),
  };
  for (const [way, text] of Object.entries(ways)) printed[name + ", " + way] = text;
}
const printJson = (name, value) => { printed[name + ", json"] = JSON.stringify(value); };

const boom = ({ user, password }) => { throw new Error("login of " + user + " with " + password + " failed: token " + S.token, { cause: new Error("Bearer " + S.token) }); };
const parameters = { type: "object", properties: { user: { type: "string" }, password: { type: "string" } }, required: ["user", "password"] };
const tool = (name, execute, more = {}) => defineTool({ name, description: "Does " + name + ".", effect: "read", parameters, execute, ...more });
const tools = [
  tool("log_in", ({ user, password }) => { got.push(user + " " + password); return { session: S.output, for: user }; }),
  tool("break", boom),
  tool("pay", () => S.output, { effect: "write", approval: true }),
  tool("hang", () => { controller.abort(new Error("no more of " + S.token)); return new Promise(() => {}); }),
];
const call = (name, index) => ({ callId: "call_" + index, name, arguments: { user: "<EMAIL_1>", password: S.password } });
const prompt = "I am " + S.word + ", " + S.email + ".";
let controller = new AbortController();

const middlewares = (redaction) => [
  logging({ logger }),
  inputGuard({ check: (text) => (text.includes("forbidden") ? { block: "not that." } : { pass: true }) }),
  outputGuard({ check: () => ({ pass: true }) }),
  ...standard(),
  untrusted(),
  afterUntrusted({ tools: ["hang"], trusted: ["log_in"] }),
  toolGuard({ check: () => ({ pass: true }), checkOutcome: () => ({ pass: true }) }),
  ...(redaction ? [redact({ words: [S.word], patterns: [{ name: "tenant", pattern: "tenant-secret-\\\\d+" }] })] : []),
  tracing({ tracerProvider, meterProvider }),
];

async function scenario(name, script, { way = "run", input = prompt, redaction = true, middleware = middlewares(redaction), state, decisions } = {}) {
  const server = await startResponsesServer(script);
  const client = new OpenAI({ baseURL: server.url, apiKey: S.key, defaultHeaders: { "x-tenant": S.header } });
  const agent = new Agent({ name: "clerk", model: "test", client, instructions: "Mind " + S.instructions + ".", tools, middleware });
  print(name + ": agent", agent);
  printJson(name + ": agent", agent);
  print(name + ": pipeline", agent.explain());
  printJson(name + ": pipeline", agent.explain());
  for (const each of middleware) { print(name + ": middleware " + each.name, each); printJson(name + ": middleware " + each.name, each); }
  let result;
  try {
    if (way === "stream") {
      const stream = agent.stream(input);
      print(name + ": stream", stream);
      printJson(name + ": stream", stream);
      result = await stream.result;
    } else if (state !== undefined) result = await agent.resume(state, { decisions });
    else result = await agent.run(input, { signal: controller.signal });
    ends[name] = result.stopReason;
    print(name + ": result", result);
    for (const step of result.steps) for (const each of step.calls) if ("error" in each.outcome) { print(name + ": outcome", each.outcome); printJson(name + ": outcome", each.outcome); }
  } catch (error) {
    ends[name] = error.code ?? String(error);
    print(name + ": error", error);
    printJson(name + ": error", error);
    printed[name + ": error's stack"] = error.stack;
    print(name + ": error's result", error.result);
  }
  sent[name] = server.requests.map(({ text }) => text).join("\\n");
  await server[Symbol.asyncDispose]();
  return result;
}

const work = [reply.calls(call("log_in", 1), call("break", 2), { callId: "call_3", name: "log_in", arguments: '{"user":"' + S.password }), reply.text("Done.")];
await scenario("completed", work);
await scenario("streamed", work, { way: "stream" });
const paused = await scenario("interrupted", [reply.calls(call("pay", 1))]);
await scenario("resumed", [reply.text("Done.")], { state: JSON.stringify(paused.state), decisions: [{ callId: "call_1", approve: true }] });
await scenario("refused", [reply.refusal("No.")]);
await scenario("wrong key", [reply.http(401, { code: "invalid_api_key", message: "Incorrect API key provided: " + S.key + "." })]);
await scenario("blocked", [], { input: "forbidden " + prompt });
await scenario("tool ends the run", [reply.calls(call("break", 1))], { middleware: [logging({ logger }), tracing({ tracerProvider, meterProvider }), redact({ words: [S.word] }), toolErrors({ rethrow: ["TOOL_FAILED"] })] });
await scenario("aborted", [reply.calls(call("hang", 1))]);
controller = new AbortController();
const { completed } = ends;
await scenario("without redaction", [reply.calls({ ...call("log_in", 1), arguments: { user: S.email, password: S.password } }, call("break", 2)), reply.text("Done.")], { redaction: false });
ends.completed = completed;
delete ends["without redaction"];

await tracerProvider.forceFlush();
await meterProvider.forceFlush();
await tracerProvider.shutdown();
await meterProvider.shutdown();
writeFileSync("report.json", JSON.stringify({ printed, sent, ends, got }));
`;
