import { beforeAll, describe, expect, it } from "vitest";
import { scratchApp } from "../support/scratch-app.js";

// What belongs to the conversation: it goes to the model, and is in a result's data, but is neither logged nor printed.
const content = {
  argument: "argument-secret-101",
  output: "output-secret-102",
  instructions: "instructions-secret-103",
  prompt: "prompt-secret-104",
  history: "history-secret-105",
  denial: "denial-secret-106",
};
// What is the application's alone: it goes nowhere. A log tells what was thrown, but for what looks like a secret in it.
const own = {
  key: "sk-planted-key-000111222333",
  header: "header-secret-201",
  url: "url-secret-202",
  environment: "environment-secret-203",
  password: "password-secret-210",
  thrown: "thrown-secret-204",
  config: "config-secret-205",
  app: "app-secret-206",
  abort: "abort-secret-207",
  middleware: "middleware-secret-208",
  import: "import-secret-209",
  partial: "partial-secret-211",
};

interface Report {
  /** What was printed of each object, by scenario and way of printing. */
  readonly printed: Readonly<Record<string, string>>;
  /** The data of results and states as JSON. */
  readonly data: Readonly<Record<string, string>>;
  /** Bodies of all requests. */
  readonly sent: readonly string[];
  readonly codes: Readonly<Record<string, string>>;
}

let report: Report;
let stderr: string;
let stdout: string;

beforeAll(async () => {
  using app = scratchApp(["openai"]);
  app.install(["@toolwright/testing", "openai"]);
  app.write({ "scenarios.mjs": scenarios, "secrets.json": { ...content, ...own } });
  const finished = await app.node(["scenarios.mjs"], { ...process.env, NO_COLOR: "1", PLANTED: own.environment });
  ({ stderr, stdout } = finished);
  if (finished.code !== 0) throw new Error(`The scenarios ended with ${finished.code}:\n${stdout}${stderr}`);
  report = JSON.parse(stdout.slice(stdout.indexOf("\n=== report\n") + "\n=== report\n".length)) as Report;
}, 60_000);

/** What a tool, a middleware or an abort says of itself is in the log, so that there is something to look up. */
const { environment, thrown, app, abort, middleware, ...neverLogged } = own;
const logged = { environment, thrown, app, middleware };

const found = (text: string, secrets: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(secrets).flatMap(([name, secret]) => (text.includes(secret) ? [name] : []));

describe("L12: nothing private leaks by default", () => {
  it("every scenario came to what it was meant to", () => {
    expect(report.codes).toEqual({
      completed: "completed",
      interrupted: "interrupted",
      "wrong key": "MODEL_AUTHENTICATION",
      "no connection": "MODEL_CONNECTION",
      "credentials in the URL": "MODEL_CONNECTION",
      budget: "RUN_BUDGET",
      aborted: "RUN_ABORTED",
      "broken middleware": "RUN_MIDDLEWARE",
      "broken stream": "MODEL_CONNECTION",
      configuration: "REGISTRY_CONFIG",
      import: "REGISTRY_LOAD",
    });
  });

  it("logging() writes none of it", () => {
    expect(stderr).toContain("look");
    expect(stderr).toContain("reference");
    expect(stderr.split("\n").length).toBeGreaterThan(15);
    expect(found(stderr, content)).toEqual([]);
    expect(found(stderr, neverLogged)).toEqual([]);
  });

  it("logging() tells what was thrown, since the model and the caller only get a reference", () => {
    expect(found(stderr, logged)).toEqual(Object.keys(logged));
  });

  it("printing an agent, a registry, a tool, a stream, a result or an error shows none of it, whichever way", () => {
    expect(Object.keys(report.printed).length).toBeGreaterThan(100);
    const leaks = Object.entries(report.printed).flatMap(([name, text]) =>
      found(text, { ...content, ...own }).map((secret) => `${name}: ${secret}`),
    );
    // The pipeline is the application's own: what a middleware says of itself is for who reads the error.
    expect(leaks.filter((leak) => !/^broken middleware: (error|stack).*: middleware$/.test(leak))).toEqual([]);
    const shown = stdout.slice(0, stdout.indexOf("\n=== report\n"));
    expect(shown).toContain("Agent {");
    expect(found(shown, { ...content, ...own })).toEqual(["middleware"]);
  });

  it("the data of results and states has the conversation, and nothing that is the application's alone", () => {
    expect(found(report.data["completed"] ?? "", content)).toEqual(["argument", "output", "prompt", "history", "denial"]);
    expect(found(report.data["interrupted: state"] ?? "", content)).toEqual(expect.arrayContaining(["argument", "prompt"]));
    const leaks = Object.entries(report.data).flatMap(([name, text]) => found(text, own).map((secret) => `${name}: ${secret}`));
    expect(leaks).toEqual([]);
  });

  it("the model reads the conversation, and nothing that is the application's alone", () => {
    const all = report.sent.join("\n");
    expect(found(all, content)).toEqual(Object.keys(content));
    expect(found(all, own)).toEqual([]);
    expect(all).toContain("The tool failed (reference");
  });
});

const scenarios = `
import { readFileSync } from "node:fs";
import { inspect } from "node:util";
import OpenAI from "openai";
import { Agent, defineMiddleware, defineTool, defineToolPackage, Tool, ToolError, ToolRegistry } from "@toolwright/core";
import { registerToolkit } from "@toolwright/core/generated";
import { logging, standard, stepBudget } from "@toolwright/core/middleware";
import { reply, startResponsesServer } from "@toolwright/testing";

const S = JSON.parse(readFileSync("secrets.json", "utf8"));
const printed = {};
const data = {};
const codes = {};
const sent = [];

const ways = {
  inspect: (value) => inspect(value, { depth: 10 }),
  "inspect all": (value) => inspect(value, { depth: 10, showHidden: true, getters: true }),
  "inside another object": (value) => inspect({ a: [value] }, { depth: 10 }),
  "inspect flat": (value) => inspect(value, { depth: 0, compact: false }),
  string: (value) => String(value),
  template: (value) => "" + value,
};
function print(name, value, ways_ = ways) {
  console.log(value);
  console.log({ value });
  for (const [way, show] of Object.entries(ways_)) printed[name + ", " + way] = show(value);
}
// What is hidden on purpose is there for who asks for it by name.
const { "inspect all": _, ...plainWays } = ways;
const printWithJson = (name, value) => print(name, value, { ...ways, json: (each) => JSON.stringify(each), "json of an object": (each) => JSON.stringify({ each }) });

const tool = (name, execute, options = {}) => defineTool({ name, description: "Does " + name + ".", effect: "read", parameters: { type: "object", properties: { note: { type: "string" } }, required: ["note"] }, execute, ...options });
const boom = () => { throw Object.assign(new Error(S.thrown + " " + process.env.PLANTED + " postgres://user:" + S.password + "@host password=" + S.password, { cause: new Error("Authorization: Bearer " + S.header + " for " + S.key) }), { config: { headers: { authorization: S.header } } }); };
const tools = () => [
  tool("look", ({ note }) => ({ note, secret: S.output })),
  tool("fail", boom),
  tool("change", boom, { effect: "write" }),
  tool("app", (_, { app }) => { throw new Error(app.token); }),
  tool("refuse", () => { throw new ToolError({ code: "CLOSED", message: "Closed today.", cause: new Error(S.thrown) }); }),
  tool("invalid", () => "never", { maxCalls: 1 }),
  tool("guarded", () => "done", { approval: ({ note }) => note !== "free" }),
];
const names = ["look", "fail", "change", "app", "refuse"];
const calls = names.map((name, index) => ({ callId: "call_" + index, name, arguments: { note: S.argument } }));
const invalid = { callId: "call_bad", name: "invalid", arguments: { note: 5, more: S.argument } };
const broken = { callId: "call_text", name: "look", arguments: '{"note":"' + S.argument };
const denyAll = defineMiddleware({ name: "police", wrapToolCall: async (call, next) => (call.name === "guarded" && call.arguments.note === "free" ? { kind: "denied", reason: S.denial } : next(call)) });
const history = { kind: "local", items: [{ type: "message", role: "user", content: S.history }, { type: "message", role: "assistant", content: [{ type: "output_text", text: "Yes.", annotations: [] }], id: "msg_1", status: "completed" }] };

async function scenario(name, script, { agent: options = {}, run = {}, client = {}, stream = false, before } = {}) {
  const server = await startResponsesServer(script);
  const openai = new OpenAI({ baseURL: server.url, apiKey: S.key, defaultHeaders: { "x-private": S.header }, ...client });
  const agent = new Agent({ model: "test", client: openai, instructions: "Mind " + S.instructions, tools: tools(), middleware: [logging(), ...standard().map((each) => each), denyAll], ...options });
  printWithJson(name + ": agent before", agent);
  print(name + ": pipeline", String(agent.explain()));
  try {
    let result;
    const runOptions = { app: { token: S.app }, history, ...run };
    if (stream) {
      const started = agent.stream("Use " + S.prompt, runOptions);
      printWithJson(name + ": stream", started);
      print(name + ": promise", started.result);
      result = await started.result;
    } else result = await agent.run("Use " + S.prompt, runOptions);
    codes[name] = result.stopReason;
    print(name + ": result", result);
    for (const step of result.steps) for (const call of step.calls) if (call.tool !== "look" && "error" in call.outcome) print(name + ": outcome of " + call.tool, call.outcome, { ...plainWays, json: (each) => JSON.stringify(each) });
    data[name] = JSON.stringify(result);
    if (result.state !== undefined) data[name + ": state"] = JSON.stringify(result.state);
  } catch (error) {
    codes[name] = error.code ?? String(error);
    printWithJson(name + ": error", error);
    printed[name + ": stack"] = error.stack;
    print(name + ": result of the error", error.result);
    data[name] = JSON.stringify(error.result);
  }
  printWithJson(name + ": agent after", agent);
  sent.push(...server.requests.map(({ body }) => JSON.stringify(body)));
  await server[Symbol.asyncDispose]();
}

await scenario("completed", [
  reply.calls(...calls, invalid, broken, { callId: "call_free", name: "guarded", arguments: { note: "free" } }, { callId: "call_no", name: "nowhere", arguments: { note: S.argument } }),
  reply.text("Done."),
]);
await scenario("interrupted", [reply.calls(calls[0], { callId: "call_g", name: "guarded", arguments: { note: S.argument } })], { stream: true });
await scenario("wrong key", [reply.http(401, { code: "invalid_api_key", message: "Incorrect API key provided: " + S.key + ". You can find your API key at https://example.test." })]);
await scenario("no connection", [], { client: { baseURL: "http://127.0.0.1:9/v1" }, agent: { middleware: [logging()] } });
await scenario("credentials in the URL", [], { client: { baseURL: "http://user:" + S.url + "@127.0.0.1:9/v1" }, agent: { middleware: [logging()] } });
await scenario("budget", [reply.calls(...calls)], { agent: { middleware: [logging(), stepBudget(1), ...standard()] } });
const controller = new AbortController();
await scenario("aborted", [reply.calls({ callId: "call_w", name: "wait", arguments: { note: S.argument } })], {
  agent: { tools: [tool("wait", () => { controller.abort(new Error(S.abort)); return new Promise(() => {}); })] },
  run: { signal: controller.signal },
});
await scenario("broken middleware", [reply.calls(...calls)], { agent: { middleware: [logging(), defineMiddleware({ name: "bad", wrapToolCall: async () => { throw new Error(S.middleware, { cause: new Error(S.thrown) }); } })] } });
await scenario("broken stream", [reply.cut({ afterEvents: 6 }, reply.text(S.partial))], { stream: true, agent: { middleware: [logging()] } });

class Config { url = "default"; set port(value) { throw new Error("no port " + value); } }
class PackageTools { look() { return "seen"; } }
Tool({ effect: "read" })(PackageTools.prototype, "look", {});
const toolkit = { format: 1, className: "PackageTools", package: "p", tools: [{ name: "packaged", method: "look", description: "Looks.", effect: "read", parameters: { type: "object", properties: {}, required: [], additionalProperties: false }, call: [] }] };
const Registered = registerToolkit(PackageTools, toolkit, { methods: ["look"] });
const manifest = { format: 1, package: "p", version: "1.0.0", toolkits: [toolkit] };
const registryWith = (config, create = () => [new Registered()]) => ToolRegistry.from([{ manifest, load: async () => ({ default: defineToolPackage({ config: Config, create }) }) }], { allow: { p: { config } } });
for (const [name, registry] of [
  ["configuration", registryWith({ port: S.config })],
  ["import", registryWith({ url: S.config }, ({ url }) => { throw new Error(S.import + url); })],
]) {
  printWithJson(name + ": registry", registry);
  printWithJson(name + ": listing", registry.list());
  try { await registry.preload(); codes[name] = "none"; } catch (error) { codes[name] = error.code; printWithJson(name + ": error", error); }
  printWithJson(name + ": agent with it", new Agent({ model: "test", tools: [registry] }));
}
const good = registryWith({ url: S.config });
await good.preload();
printWithJson("registry, open", good);
printWithJson("a tool", tools()[0]);

console.log("\\n=== report\\n" + JSON.stringify({ printed, data, sent, codes }));
`;
