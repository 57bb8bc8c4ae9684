import { execFile } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Agent, type Decision, type HistoryOption, type RunState, sqliteSession } from "@toolwright/core";
import { reply, type CallSpec, type ScriptRequest } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../sessions/support.js";
import { approve, pause } from "../support/pausing.js";
import { actingAgent } from "../support/pausing-process.mjs";
import { serve } from "../support/serve.js";
import { ends } from "../support/wait.js";

const call = (name: string, callId: string, n: number): CallSpec => ({ name, callId, arguments: { n } });
const helper = (callId: string, name = "helper"): CallSpec => ({ name, callId, arguments: { input: "Go." } });

/** A file of effects and of sessions, a server on which both agents make the calls that they are told to, and agents. */
async function scene(outer: readonly (readonly CallSpec[])[], inner: readonly (readonly CallSpec[])[] = []) {
  const folder = temporaryFolder();
  // One step for each group of outputs that the model reads.
  const model = ({ body, context }: ScriptRequest) => {
    const done = context.filter((item, index) => item.type.endsWith("_output") && context[index + 1]?.type.endsWith("_output") !== true);
    const calls = (body.model === "inner" ? inner : outer)[done.length];
    return calls === undefined ? reply.text(`${body.model} is done.`) : reply.calls(...calls);
  };
  const stand = await serve(model);
  const files = { effects: join(folder.path, "effects"), state: join(folder.path, "state.json"), path: join(folder.path, "chats.db") };
  const agent = (): Agent => actingAgent({ url: stand.server.url, effects: files.effects });
  /** Tool, argument and call of each effect so far. */
  const effects = (): readonly string[] => {
    const lines = existsSync(files.effects) ? readFileSync(files.effects, "utf8").trimEnd().split("\n") : [];
    return lines.filter((line) => line !== "").map((line) => line.replace(/ [\da-f-]{36}\//, " "));
  };
  const session = () => sqliteSession({ path: files.path, id: "chat" });
  const dispose = async (): Promise<void> => {
    await stand.server.close();
    folder[Symbol.dispose]();
  };
  return { stand, files, agent, effects, session, [Symbol.asyncDispose]: dispose };
}

type Scene = Awaited<ReturnType<typeof scene>>;

const run = promisify(execFile);
const script = fileURLToPath(new URL("../support/pausing-process.mjs", import.meta.url));

/** Resumes the state in a process of its own. */
async function resumeElsewhere(
  { stand, files }: Scene,
  state: RunState,
  decisions: readonly Decision[],
  more: { readonly dieAfter?: string; readonly session?: true } = {},
): Promise<{ readonly stopReason?: string; readonly code?: string; readonly output?: string; readonly state?: RunState }> {
  writeFileSync(files.state, JSON.stringify(state));
  const { dieAfter, session } = more;
  const options = {
    url: stand.server.url,
    effects: files.effects,
    state: files.state,
    decisions,
    dieAfter,
    ...(session && { path: files.path }),
  };
  const { stdout } = await run(process.execPath, [script, JSON.stringify(options)], { timeout: 15_000 }).catch(
    (error: { readonly signal?: string }) => {
      if (error.signal === "SIGKILL") return { stdout: '{"code":"SIGKILL"}' };
      throw error;
    },
  );
  return JSON.parse(stdout) as Awaited<ReturnType<typeof resumeElsewhere>>;
}

const kept = (session: ReturnType<typeof sqliteSession>): { readonly history: HistoryOption } => ({ history: { kind: "local", session } });

describe("L10: a state that is resumed twice in one process acts once", () => {
  const cases: readonly (readonly [string, Parameters<typeof scene>, readonly Decision[], readonly string[]])[] = [
    ["an approval", [[[call("ask", "call_1", 1)]]], approve("call_1"), ["ask 1 0/call_1"]],
    [
      "a denial, of which another call on the key waited",
      [[[call("ask", "call_1", 1), call("write", "call_2", 1)]]],
      [{ callId: "call_1", approve: false }],
      ["write 1 0/call_2"],
    ],
    [
      "the approval of an agent, whose own calls need none",
      [[[helper("call_h", "asked_helper")]], [[call("write", "call_1", 1)]]],
      approve("call_h"),
      ["write 1 0/call_h/asked_helper/0/call_1"],
    ],
    [
      "an approval inside of an agent",
      [[[helper("call_h")]], [[call("ask", "call_1", 1)], [call("write", "call_2", 2)]]],
      approve("call_h/call_1"),
      ["ask 1 0/call_h/helper/0/call_1", "write 2 0/call_h/helper/1/call_2"],
    ],
  ];

  it.each(cases)("%s", async (_, scenery, decisions, effects) => {
    await using stage = await scene(...scenery);
    const { state } = await pause(ends(stage.agent().run("Go.")));
    const text = JSON.stringify(state);
    expect(await ends(stage.agent().resume(text, { decisions }))).toMatchObject({ output: "outer is done." });
    expect(stage.effects()).toEqual(effects);
    const { length } = stage.stand.server.requests;
    for (const again of [text, state, text]) {
      await expect(stage.agent().resume(again, { decisions })).rejects.toMatchObject({
        code: "RUN_STATE",
        message: expect.stringContaining("has been carried out already"),
        fix: expect.stringContaining("A state can be resumed once"),
      });
    }
    expect(stage.effects()).toEqual(effects);
    expect(stage.stand.server.requests).toHaveLength(length);
  });

  it.each(cases)("%s, when both go on at once", async (_, scenery, decisions, effects) => {
    await using stage = await scene(...scenery);
    const { state } = await pause(ends(stage.agent().run("Go.")));
    const ended = await Promise.allSettled([1, 2, 3].map(() => ends(stage.agent().resume(JSON.stringify(state), { decisions }))));
    expect(ended.filter(({ status }) => status === "fulfilled").length).toBeLessThanOrEqual(1);
    for (const end of ended) if (end.status === "rejected") expect(end.reason).toMatchObject({ code: "RUN_STATE" });
    expect(stage.effects().toSorted()).toEqual([...effects].toSorted());
  });

  it("nor does an older state bring back what a later one has decided", async () => {
    await using stage = await scene([[call("ask", "call_1", 1), call("ask", "call_2", 2)]]);
    const first = await pause(ends(stage.agent().run("Go.")));
    const second = await pause(ends(stage.agent().resume(first.state, { decisions: approve("call_1") })));
    expect(await ends(stage.agent().resume(second.state, { decisions: approve("call_2") }))).toMatchObject({ stopReason: "completed" });
    for (const decisions of [approve("call_1"), approve("call_2"), approve("call_1", "call_2")])
      await expect(stage.agent().resume(first.state, { decisions })).rejects.toMatchObject({ code: "RUN_STATE" });
    expect(stage.effects()).toEqual(["ask 1 0/call_1", "ask 2 0/call_2"]);
  });

  it("a resume that changed nothing leaves the state good", async () => {
    await using stage = await scene([[call("ask", "call_1", 1)]]);
    const { state } = await pause(ends(stage.agent().run("Go.")));
    await pause(ends(stage.agent().resume(state)));
    await expect(stage.agent().resume(state, { decisions: approve("call_1"), signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: "RUN_ABORTED",
    });
    expect(await ends(stage.agent().resume(state, { decisions: approve("call_1") }))).toMatchObject({ stopReason: "completed" });
    expect(stage.effects()).toEqual(["ask 1 0/call_1"]);
  });
});

describe("L10: with a session, a state acts once in all processes together", () => {
  it("a state that another process has gone on from is refused, or does nothing again", async () => {
    await using stage = await scene([[call("ask", "call_1", 1), call("ask", "call_2", 2)]]);
    using session = stage.session();
    const first = await pause(ends(stage.agent().run("Go.", kept(session))));
    const half = await resumeElsewhere(stage, first.state, approve("call_1"), { session: true });
    expect(half.stopReason).toBe("interrupted");
    // From the first state once more: what has been decided stays as it came out.
    const decisions = [{ callId: "call_1", approve: false }, ...approve("call_2")] as const;
    expect(await resumeElsewhere(stage, first.state, decisions, { session: true })).toMatchObject({ output: "outer is done." });
    for (const state of [first.state, half.state as RunState])
      expect(await resumeElsewhere(stage, state, approve("call_2"), { session: true })).toMatchObject({ code: "RUN_STATE" });
    expect(stage.effects()).toEqual(["ask 1 0/call_1", "ask 2 0/call_2"]);
  });

  it("nor does an older state of an agent inside act again", async () => {
    const inner = [[call("ask", "call_1", 1)], [call("ask", "call_2", 2)]];
    await using stage = await scene([[helper("call_h")]], inner);
    using session = stage.session();
    const first = await pause(ends(stage.agent().run("Go.", kept(session))));
    const second = await resumeElsewhere(stage, first.state, approve("call_h/call_1"), { session: true });
    expect(second.stopReason).toBe("interrupted");
    expect(await resumeElsewhere(stage, first.state, approve("call_h/call_1"), { session: true })).toMatchObject({ code: "RUN_STATE" });
    const last = await resumeElsewhere(stage, second.state as RunState, approve("call_h/call_2"), { session: true });
    expect(last).toMatchObject({ output: "outer is done." });
    expect(stage.effects()).toEqual(["ask 1 0/call_h/helper/0/call_1", "ask 2 0/call_h/helper/1/call_2"]);
  });

  it.each([
    ["approved itself", "asked_helper", approve("call_h"), [[call("write", "call_1", 1)]], ["write 1 0/call_h/asked_helper/0/call_1"]],
    ["approved inside", "helper", approve("call_h/call_1"), [[call("ask", "call_1", 1)]], ["ask 1 0/call_h/helper/0/call_1"]],
    [
      "inside of which nothing waits yet",
      "helper",
      approve("call_2"),
      [[call("write", "call_1", 1)]],
      ["write 1 0/call_h/helper/0/call_1"],
    ],
  ])(
    "an agent that was %s is in doubt after its process was killed, and does not act again",
    async (what, name, decisions, inner, effects) => {
      const outer = [helper("call_h", name), ...(what.startsWith("inside") ? [call("ask", "call_2", 2)] : [])];
      await using stage = await scene([outer], inner);
      using session = stage.session();
      const { state } = await pause(ends(stage.agent().run("Go.", kept(session))));
      const dieAfter = what.startsWith("inside") ? "call_2" : "call_1";
      expect(await resumeElsewhere(stage, state, decisions, { session: true, dieAfter })).toEqual({ code: "SIGKILL" });
      const before = stage.effects();
      const again = await resumeElsewhere(stage, state, decisions, { session: true });
      expect(again).toMatchObject({ output: "outer is done." });
      expect(stage.effects()).toEqual(before);
      expect(stage.effects()).toEqual(expect.arrayContaining(effects));
      const read = JSON.stringify(stage.stand.server.requests.at(-1)?.body.input);
      expect(read).toContain("Do not repeat it");
    },
  );

  it("an agent that waits is skipped by a new run, as any call that waits", async () => {
    await using stage = await scene([[helper("call_h")]], [[call("ask", "call_1", 1)]]);
    using session = stage.session();
    const paused = await pause(ends(stage.agent().run("Go.", kept(session))));
    const result = await ends(stage.agent().run("Never mind.", kept(session)));
    expect(result.output).toBe("outer is done.");
    expect(result.steps[0]?.calls[0]?.outcome).toMatchObject({ kind: "skipped" });
    expect(await resumeElsewhere(stage, paused.state, approve("call_h/call_1"), { session: true })).toMatchObject({ code: "RUN_STATE" });
    expect(stage.effects()).toEqual([]);
  });
});
