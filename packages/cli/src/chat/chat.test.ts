import { setTimeout as wait } from "node:timers/promises";
import { reply, type Reply, type ResponsesServer, startResponsesServer } from "@toolwright/testing";
import { afterEach, describe, expect, test } from "vitest";
import { chatThrough, type ChatOptions, hasTerminal, type RunningChat, startAtTerminal, startChat } from "../../test-support/chat.js";
import { temporaryProject, type TemporaryProject } from "../../test-support/temporary-project.js";

const agents = `import { Agent, defineTool, handoff } from "@toolwright/core";
const parameters = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
const tool = (name, effect, execute, more) => defineTool({ name, description: "A tool.", effect, parameters, execute, ...more });
const look = tool("look", "read", ({ n }, { app, attempt }) => ({ n, user: app?.user ?? null }));
const cancel = tool("cancel", "destructive", ({ n }) => "cancelled " + n, { approval: true });
const hang = tool("hang", "write", async (_, { progress, signal }) => {
  await progress("half \\u001b[2Jdone");
  await new Promise((resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
});
const slow = tool("book", "write", () => new Promise(() => {}), { timeoutMs: 100 });
const helper = new Agent({ name: "helper", model: "inner", tools: [cancel] });
export const other = new Agent({ name: "billing", model: "billing-model" });
export const agent = new Agent({
  name: "desk",
  model: "outer",
  tools: [look, cancel, hang, slow, helper.asTool({ name: "ask_helper", description: "Helps." }), handoff(other)],
});
export default agent;
`;

const call = (name: string, callId: string, n = 1) => ({ name, callId, id: `fc_${callId}`, arguments: { n } });

let server: ResponsesServer;
let project: TemporaryProject;
let chat: RunningChat | undefined;

async function options(script: readonly Reply[], ...parameters: readonly string[]): Promise<ChatOptions> {
  server = await startResponsesServer(script);
  project = temporaryProject({ "agent.mjs": agents });
  const env = { OPENAI_API_KEY: "test", OPENAI_BASE_URL: server.url };
  return { directory: project.directory, parameters: ["agent.mjs", ...parameters], env };
}

afterEach(async () => {
  chat?.child.kill("SIGKILL");
  chat = undefined;
  await server[Symbol.asyncDispose]();
  project[Symbol.dispose]();
});

describe("toolwright chat over a pipe", () => {
  test("answers a message a line, with the history of those before, and shows the calls on the error stream", async () => {
    const given = await options([
      reply.output(reply.text("Let me see."), reply.calls(call("look", "call_1", 7))),
      reply.text("It is seven.").with({ deltaSize: 3 }),
      reply.text("Still seven."),
    ]);
    const { code, out, error } = await chatThrough({
      ...given,
      parameters: [...(given.parameters ?? []), "--app", '{"user":"ada"}'],
      lines: ["How many?", "", "And now?"],
    });
    expect({ code, out }).toEqual({ code: 0, out: "Let me see.\nIt is seven.\nStill seven.\n" });
    expect(error.replaceAll(/\(\d+ ms\)/g, "(1 ms)").replaceAll(/\d+ tokens in, \d+ out/g, "9 tokens in, 9 out")).toBe(
      [
        "  > How many?",
        '  → look {"n":7}',
        '  ← look ok (1 ms): {"n":7,"user":"ada"}',
        "  2 requests, 9 tokens in, 9 out",
        "  > And now?",
        "  1 request, 9 tokens in, 9 out",
        "",
      ].join("\n"),
    );
    const texts = JSON.stringify(server.request(2).body.input);
    for (const said of ["How many?", "It is seven.", "And now?"]) expect(texts).toContain(said);
    server.assertDone();
  });

  test("nothing that model or tools write acts upon the terminal", async () => {
    const given = await options([
      reply.output(reply.text("a\u001b]0;x\u0007b\u202ec 👩‍💻\n"), reply.calls(call("no\u001b[1m", "call_1"), call("hang", "call_2"))),
    ]);
    chat = startChat(given);
    chat.say("Go.\n");
    await chat.saw("half");
    chat.child.kill("SIGINT");
    expect(await chat.ended).toBe(130);
    expect(chat.out()).toBe("a\\u{1b}]0;x\\u{7}b\\u{202e}c 👩‍💻\n");
    expect(chat.error()).toContain("← no\\u{1b}[1m");
    expect(chat.error()).toContain("… hang: half \\u{1b}[2Jdone");
    expect(chat.error()).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
  });

  test("denies what asks for approval, since nobody can be asked, and the model reads why", async () => {
    const given = await options([reply.calls(call("cancel", "call_1", 7)), reply.text("Then not.")]);
    const { code, out, error } = await chatThrough({ ...given, lines: ["Cancel 7."] });
    expect({ code, out }).toEqual({ code: 0, out: "Then not.\n" });
    expect(error).toContain('cancel {"n":7} waits for approval: denied, since nobody can be asked here. --yes approves.');
    expect(error).toContain("denied: Nobody could be asked for approval.");
    expect(JSON.stringify(server.request(1).body.input)).toContain("Nobody could be asked");
  });

  test("--yes approves, inside of other agents too, whose events stand further to the right", async () => {
    const given = await options(
      [
        reply.calls({ name: "ask_helper", callId: "call_1", arguments: { input: "Cancel 7." } }),
        reply.output(reply.text("I will\ndo it."), reply.calls(call("cancel", "call_2", 7))),
        reply.text("Cancelled."),
        reply.text("It is done."),
      ],
      "--yes",
    );
    const { code, out, error } = await chatThrough({ ...given, lines: ["Cancel 7."] });
    expect({ code, out }).toEqual({ code: 0, out: "It is done.\n" });
    const lines = error.replaceAll(/\(\d+ ms\)/g, "(1 ms)").split("\n");
    expect(lines.slice(1, -2)).toEqual([
      '  → ask_helper {"input":"Cancel 7."}',
      "    | I will",
      "    | do it.",
      '  cancel {"n":7} in ask_helper waits for approval: approved by --yes',
      '    → cancel {"n":7}',
      "    ← cancel ok (1 ms): cancelled 7",
      "    | Cancelled.",
      "  ← ask_helper ok (1 ms): Cancelled.",
    ]);
  });

  test("shows a handoff, and begins with the first agent again", async () => {
    const given = await options([
      reply.calls({ name: "transfer_to_billing", callId: "call_1", arguments: {} }),
      reply.text("Billing here."),
      reply.text("Desk here."),
    ]);
    const { out, error } = await chatThrough({ ...given, lines: ["A bill.", "Thanks."] });
    expect(out).toBe("Billing here.\nDesk here.\n");
    expect(error).toContain("⇒ desk hands over to billing");
    expect([0, 1, 2].map((index) => server.request(index).body.model)).toEqual(["outer", "billing-model", "outer"]);
  });

  test("tells a failure with its fix, goes on with the next message, and ends with 1", async () => {
    const given = await options([reply.http(400, { code: "invalid_request_error", message: "No\u001b." }), reply.text("Here.")]);
    const { code, out, error } = await chatThrough({ ...given, lines: ["One.", "Two."] });
    expect({ code, out }).toEqual({ code: 1, out: "Here.\n" });
    expect(error).toMatch(/MODEL_BAD_REQUEST: .*No\\u\{1b\}\..*\n {2}Fix: /);
  });

  test("a write of which nobody knows is left waiting; the next message has it skipped", async () => {
    const book = reply.calls(call("book", "call_1"));
    const given = await options([book, reply.calls(call("book", "call_2")), reply.text("Never mind.")]);
    const { code, out, error } = await chatThrough({ ...given, lines: ["Book.", "Well?"] });
    expect({ code, out }).toEqual({ code: 1, out: "Never mind.\n" });
    expect(error).toContain("← book unknown");
    expect(error).toContain('‖ book {"n":1} may or may not have happened');
    expect(error).toContain("What waited is not waited for any more");
  });

  test("the first Ctrl-C ends the turn and the chat, and tells what had started", async () => {
    chat = startChat(await options([reply.calls(call("hang", "call_1"))]));
    chat.say("Go.\n");
    await chat.saw("… hang");
    chat.child.kill("SIGINT");
    expect(await chat.ended).toBe(130);
    expect(chat.error()).toContain("Stopped by Ctrl-C.");
    expect(chat.error()).toContain("hang had started: it may or may not have happened");
  });

  test("/history, /usage, /clear, /decide, /help and what is none of them", async () => {
    const given = await options(
      [reply.calls(call("look", "call_1")), reply.text("One."), reply.text("New.")],
      "--prices",
      '{"outer":{"inputPerMillion":1000000,"outputPerMillion":0}}',
    );
    const lines = ["/history", "//First.", "/history", "/usage", "/decide", "/clear", "Second.", "/what", "/help", "/exit", "Third."];
    const { code, error } = await chatThrough({ ...given, lines });
    expect(code).toBe(0);
    const after = (line: string): string => error.split(`  > ${line}\n`)[1] ?? "";
    expect(after("/history")).toMatch(/^ {2}Nothing has been said yet\./);
    expect(error.split("  > /history\n")[2]).toMatch(
      /^ {2}user: \/First\.\n {2}→ look \{"n":1\} \(call_1\)\n {2}← call_1 \{"n":1,"user":null\}\n {2}assistant: One\.\n/,
    );
    const [, inputTokens, cost] = /1 message, 2 requests, (\d+) tokens in, \d+ out, cost (\d+)\n/.exec(after("/usage")) ?? [];
    expect(Number(cost)).toBeGreaterThan(0);
    expect(Math.abs(Number(cost) - Number(inputTokens)) / Number(cost)).toBeLessThan(0.01);
    expect(after("/decide")).toMatch(/^ {2}Nothing waits\./);
    expect(JSON.stringify(server.request(2).body.input)).not.toContain("First");
    expect(after("/what")).toMatch(/^ {2}There is no \/what: /);
    expect(after("/help")).toMatch(/^ {2}\/help {5}lists/);
    expect(error).not.toContain("Third");
    server.assertDone();
  });

  test.each([[[]], [["--full"]]])("what is long is shortened, unless all is asked for: %j", async (flags) => {
    const text = reply.calls({ name: "unknown", callId: "call_1", arguments: { long: "x".repeat(2000) } });
    const given = await options([text, reply.text("Ok.")], ...flags);
    const { error } = await chatThrough({ ...given, lines: ["Go."] });
    expect(error.includes("x".repeat(2000))).toBe(flags.length > 0);
    expect(/x… \(\d+ characters more\)/.test(error)).toBe(flags.length === 0);
  });
});

// What clack and readline make of keys needs a moment of theirs between two of them.
const pause = (): Promise<void> => wait(150);
const down = "\u001b[B";
const enter = "\r";

describe.runIf(hasTerminal)("toolwright chat at a terminal", () => {
  async function open(script: readonly Reply[], ...parameters: readonly string[]): Promise<RunningChat> {
    chat = startAtTerminal(await options(script, ...parameters));
    await chat.saw("> ");
    return chat;
  }

  async function choose(at: RunningChat, question: string, steps: number): Promise<void> {
    await at.saw(question);
    await pause();
    for (let step = 0; step < steps; step += 1) at.say(down);
    at.say(enter);
  }

  test("greets, answers, and leaves by /exit", async () => {
    const at = await open([reply.text("Hello.")]);
    expect(at.out()).toContain(
      "desk: outer, look, cancel, hang, book, ask_helper, transfer_to_billing. /help lists commands, /exit leaves.",
    );
    at.say(`Hi.${enter}`);
    await at.saw("Hello.");
    await at.saw("> ");
    at.say(`/exit${enter}`);
    expect(await at.ended).toBe(0);
  });

  test("asks for each approval: yes, no with a reason, other arguments", async () => {
    const calls = reply.calls(call("cancel", "call_1", 1), call("cancel", "call_2", 2), call("cancel", "call_3", 3));
    const at = await open([calls, reply.text("Done.")]);
    at.say(`Cancel them.${enter}`);
    await at.saw('cancel {"n":1} waits for approval');
    await choose(at, "Shall cancel run?", 0);
    await at.saw('cancel {"n":2} waits for approval');
    await choose(at, "Shall cancel run?", 2);
    await at.saw("Why?");
    await pause();
    at.say(`Too late.${enter}`);
    await at.saw('cancel {"n":3} waits for approval');
    await choose(at, "Shall cancel run?", 1);
    await at.saw("The arguments");
    await pause();
    at.say(`\u007f4}${enter}`);
    await at.saw("cancelled 34");
    await at.saw("Done.");
    const outputs = JSON.stringify(server.request(1).body.input);
    for (const words of ["cancelled 1", "Too late.", "cancelled 34"]) expect(outputs).toContain(words);
    expect(outputs).not.toContain("cancelled 2");
  });

  test("asks again about arguments that do not fit", async () => {
    const at = await open([reply.calls(call("cancel", "call_1", 1)), reply.text("Done.")]);
    at.say(`Cancel.${enter}`);
    await choose(at, "Shall cancel run?", 1);
    await at.saw("The arguments");
    await pause();
    at.say(`${"\u007f".repeat(2)}"x"}${enter}`);
    await at.saw("do not fit");
    await choose(at, "Shall cancel run?", 0);
    await at.saw("Done.");
    expect(JSON.stringify(server.request(1).body.input)).toContain("cancelled 1");
  });

  test("what is left waiting is asked about again by /decide", async () => {
    const at = await open([reply.calls(call("cancel", "call_1", 1), call("look", "call_2")), reply.text("Done.")]);
    at.say(`Cancel.${enter}`);
    await choose(at, "Shall cancel run?", 3);
    await at.saw("‖ cancel");
    await at.saw("/decide asks about it again");
    await at.saw("> ");
    at.say(`/decide${enter}`);
    await choose(at, "Shall cancel run?", 0);
    await at.saw("Done.");
    expect(JSON.stringify(server.request(1).body.input)).toContain("cancelled 1");
    server.assertDone();
  });

  test("asks what became of a write that nobody knows of", async () => {
    const at = await open([reply.calls(call("book", "call_1")), reply.calls(call("book", "call_2")), reply.text("Booked then.")]);
    at.say(`Book.${enter}`);
    await at.saw("may or may not have happened");
    await choose(at, "What became of book?", 0);
    await at.saw("What did it give?");
    await pause();
    at.say(`{"booking":17}${enter}`);
    await at.saw("Booked then.");
    expect(JSON.stringify(server.request(2).body.input)).toContain('{\\"booking\\":17}');
  });

  test("Ctrl-C ends the turn, a second one the chat", async () => {
    const at = await open([reply.calls(call("hang", "call_1")), reply.text("Back.")]);
    at.say(`Go.${enter}`);
    await at.saw("… hang");
    at.say("\u0003");
    await at.saw("Stopped by Ctrl-C.");
    await at.saw("> ");
    at.say(`Are you there?${enter}`);
    await at.saw("Back.");
    await at.saw("> ");
    at.say("half a line\u0003");
    await at.saw("Ctrl-C once more leaves");
    await pause();
    at.say("\u0003");
    expect(await at.ended).toBe(130);
  });

  test("Ctrl-D leaves, and lines that are pasted at once are one message", async () => {
    const at = await open([reply.text("Two lines.")]);
    at.say("First line.\rSecond line.\r");
    await at.saw("Two lines.");
    expect(JSON.stringify(server.request(0).body.input)).toContain("First line.\\nSecond line.");
    await at.saw("> ");
    at.say("\u0004");
    expect(await at.ended).toBe(0);
  });
});
