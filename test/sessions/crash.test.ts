import { fork } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Agent, isFunctionCallOutput, type Item, type RunState, sqliteSession } from "@toolwright/core";
import { reply, type ScriptRequest } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { errorIn, inputOf, outputsIn, serve, type Stand } from "../support/serve.js";
import { ends } from "../support/wait.js";
import { sideEffectTools } from "./fixtures/tools.mjs";
import { historyOf, temporaryFolder, texts } from "./support.js";

const kinds = ["read", "write", "idempotent", "undeclared"] as const;
type Kind = (typeof kinds)[number];

/** "Go <tool> <how many calls>" makes the calls; anything else is answered. */
function model({ context }: ScriptRequest) {
  const last = context.at(-1);
  const [, name = "", count = 1] = /^Go (\w+)(?: (\d))?$/.exec(textOf(last)) ?? [];
  if (name === "") return reply.text("Done.");
  const calls = Array.from({ length: Number(count) }, (_, index) => ({ callId: `call_${index + 1}`, name, arguments: { n: index + 1 } }));
  return reply.output(reply.reasoning("Hm."), reply.calls(...calls));
}

function textOf(item: Item | undefined): string {
  const content = item?.["content"];
  return typeof content === "string" ? content : ((content as readonly { text?: string }[] | undefined)?.[0]?.text ?? "");
}

/** A file of sessions, a file of effects, and a server. */
async function scene() {
  const folder = temporaryFolder();
  const stand = await serve(model);
  const files = { path: join(folder.path, "chats.db"), effects: join(folder.path, "effects"), state: join(folder.path, "state.json") };
  const append = (line: string): void => appendFileSync(files.effects, line);
  const agent = new Agent({ model: "test", client: stand.client, tools: sideEffectTools({ append, before() {}, after() {} }) });
  /** The effects of a tool so far: argument and key. */
  const effects = (name: string): readonly string[] => {
    const lines = existsSync(files.effects) ? readFileSync(files.effects, "utf8").split("\n") : [];
    return lines.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1));
  };
  const dispose = async (): Promise<void> => {
    await stand.server.close();
    folder[Symbol.dispose]();
  };
  return { ...files, stand, agent, effectsOf: effects, [Symbol.asyncDispose]: dispose };
}

/** Runs chats in a process of their own until it kills itself at the boundary. */
async function crash(stage: Awaited<ReturnType<typeof scene>>, boundary: string, chats: readonly string[]): Promise<void> {
  const { path, effects, state } = stage;
  const options = JSON.stringify({ url: stage.stand.server.url, path, effects, state, boundary, chats });
  const child = fork(fileURLToPath(new URL("fixtures/crash.mjs", import.meta.url)), [options]);
  const [code, signal] = (await once(child, "exit")) as [number | null, string | null];
  expect({ code, signal }).toEqual({ code: null, signal: "SIGKILL" });
}

interface Expected {
  /** Effects when the process died, and in the end. */
  readonly before: number;
  readonly after: number;
  /** What the model reads as the call's output; undefined when it never learns of the call. */
  readonly told: "did 1" | "unknown" | undefined;
}

const lost: Expected = { before: 0, after: 0, told: undefined };
const runs: Expected = { before: 0, after: 1, told: "did 1" };
const doubtful = (before: number): Expected => ({ before, after: before, told: "unknown" });
const again = (before: number): Expected => ({ before, after: before + 1, told: "did 1" });
const finished: Expected = { before: 1, after: 1, told: "did 1" };

const all = (expected: Expected): Record<Kind, Expected> => ({
  read: expected,
  write: expected,
  idempotent: expected,
  undeclared: expected,
});
const inside = (before: number): Record<Kind, Expected> => ({
  read: again(before),
  write: doubtful(before),
  idempotent: again(before),
  undeclared: doubtful(before),
});

const boundaries: readonly (readonly [string, Record<Kind, Expected>])[] = [
  ["before input", all(lost)],
  ["after input", all(lost)],
  ["before reply", all(lost)],
  ["after reply", all(runs)],
  ["before started", all(runs)],
  ["after started", inside(0)],
  ["before effect 1", inside(0)],
  ["after effect 1", inside(1)],
  ["before outcome", inside(1)],
  ["after outcome", all(finished)],
  ["before outputs", all(finished)],
  ["after outputs", all(finished)],
];

/** The output of a call that a request carried. */
function told(stand: Stand, callId: string): string | undefined {
  const output = new Map(outputsIn(inputOf(stand.server.requests.at(-1) as (typeof stand.server.requests)[number]))).get(callId);
  if (output === undefined) return undefined;
  if (!String(output).startsWith("{")) return String(output);
  const { code, message } = errorIn(output);
  expect(message).toContain("Do not repeat it");
  return code === "TOOL_OUTCOME_UNKNOWN" ? "unknown" : code;
}

describe("a session after a process was killed", () => {
  it.each(boundaries)("%s: the next run goes on, and no write happens twice", async (boundary, expected) => {
    await using stage = await scene();
    await crash(stage, boundary, kinds);
    for (const kind of kinds) {
      using session = sqliteSession({ path: stage.path, id: kind });
      const { before, after, told: output } = expected[kind];
      expect(stage.effectsOf(kind), kind).toHaveLength(before);
      const { items, unfinished } = await session.load();
      expect(items.length === 0, kind).toBe(output === undefined);
      expect(unfinished === undefined, kind).toBe(output === undefined || boundary === "after outputs");

      const result = await ends(stage.agent.run("And now?", { history: { kind: "local", session } }));
      expect(result.output, kind).toBe("Done.");
      expect(stage.effectsOf(kind), kind).toHaveLength(after);
      expect(told(stage.stand, "call_1"), kind).toBe(output);
      // What there was is there still, in its order; an attempt again has the key of the first.
      expect(texts(inputOf(stage.stand.server.requests.at(-1) as never)).slice(0, items.length), kind).toEqual(texts(items));
      expect(new Set(stage.effectsOf(kind)).size, kind).toBe(Math.min(after, 1));
      expect(await historyOf(session), kind).toEqual(result.history);
    }
    stage.stand.server.assertDone();
  });

  it("of several calls, each is settled by how far it had come", async () => {
    await using stage = await scene();
    await crash(stage, "after effect 2", ["write 3"]);
    using session = sqliteSession({ path: stage.path, id: "write 3" });
    const result = await ends(stage.agent.run("And now?", { history: { kind: "local", session } }));
    expect(["call_1", "call_2", "call_3"].map((callId) => told(stage.stand, callId))).toEqual(["did 1", "unknown", "did 3"]);
    expect(stage.effectsOf("write").map((line) => line.slice(0, 1))).toEqual(["1", "2", "3"]);
    expect(result.steps[0]).toMatchObject({
      index: 0,
      responseId: expect.stringMatching(/^resp_/),
      calls: [
        { callId: "call_1", outcome: { kind: "ok" } },
        { callId: "call_2", outcome: { kind: "unknown" } },
        { callId: "call_3", outcome: { kind: "ok" } },
      ],
    });
    expect(result.items.filter(isFunctionCallOutput).map((item) => item.call_id)).toEqual(["call_1", "call_2", "call_3"]);
    stage.stand.server.assertDone();
  });

  it("an equal write in the run after it waits for a person", async () => {
    await using stage = await scene();
    await crash(stage, "before effect 1", ["write"]);
    using session = sqliteSession({ path: stage.path, id: "write" });
    const result = await ends(stage.agent.run("Go write", { history: { kind: "local", session } }));
    expect(result).toMatchObject({
      stopReason: "interrupted",
      interruptions: [{ callId: "call_1", tool: "write", reason: "unknown-outcome" }],
    });
    expect(stage.effectsOf("write")).toEqual([]);
    if (result.stopReason !== "interrupted") throw new Error(result.stopReason);
    const settled = await ends(stage.agent.resume(result.state, { decisions: [{ callId: "call_1", resolve: "absent" }] }));
    expect(settled.output).toBe("Done.");
    expect(stage.effectsOf("write")).toHaveLength(1);
    expect(await historyOf(session)).toEqual(settled.history);
  });

  it("a tool that is gone when the next run comes is no reason to forget that it had started", async () => {
    await using stage = await scene();
    await crash(stage, "before effect 1", ["write"]);
    using session = sqliteSession({ path: stage.path, id: "write" });
    const plain = new Agent({ model: "test", client: stage.stand.client, history: { kind: "local", session } });
    expect((await ends(plain.run("And now?"))).output).toBe("Done.");
    expect(told(stage.stand, "call_1")).toBe("unknown");
  });

  it.each([
    ["resumed from the same state", true],
    ["left, and a new run comes", false],
  ])("an approved write that was cut off is not repeated when its pause is %s", async (_, resumes) => {
    await using stage = await scene();
    await crash(stage, "after effect 1", ["approved 2"]);
    expect(stage.effectsOf("approved")).toHaveLength(1);
    using session = sqliteSession({ path: stage.path, id: "approved 2" });
    const state = { ...(JSON.parse(readFileSync(stage.state, "utf8")) as RunState), history: { kind: "local", session } as const };
    const decisions = ["call_1", "call_2"].map((callId) => ({ callId, approve: true as const }));
    const result = await ends(
      resumes ? stage.agent.resume(state, { decisions }) : stage.agent.run("Never mind.", { history: state.history }),
    );
    expect(result.output).toBe("Done.");
    const outputs = outputsIn(inputOf(stage.stand.server.requests.at(-1) as never));
    expect(errorIn(outputs[0]?.[1]).code).toBe("TOOL_OUTCOME_UNKNOWN");
    // The other one had not started: it runs if somebody still wants it.
    if (resumes) expect(outputs[1]).toEqual(["call_2", "did 2"]);
    else expect(errorIn(outputs[1]?.[1]).code).toBe("TOOL_SKIPPED");
    expect(stage.effectsOf("approved").map((line) => line.slice(0, 1))).toEqual(resumes ? ["1", "2"] : ["1"]);
    expect(await historyOf(session)).toEqual(result.history);
    stage.stand.server.assertDone();
  });

  it("a step that the next run took over can pause and be resumed", async () => {
    await using stage = await scene();
    await crash(stage, "before reply", ["approved 1"]);
    await crash(stage, "after reply", ["approved 1"]);
    using session = sqliteSession({ path: stage.path, id: "approved 1" });
    const paused = await ends(stage.agent.run("And now?", { history: { kind: "local", session } }));
    if (paused.stopReason !== "interrupted") throw new Error(paused.stopReason);
    expect(await historyOf(session)).toEqual(paused.history);
    const decisions = [{ callId: "call_1", approve: true as const }];
    const state = { ...(JSON.parse(JSON.stringify(paused.state)) as RunState), history: { kind: "local", session } as const };
    const result = await ends(stage.agent.resume(state, { decisions }));
    expect(result.output).toBe("Done.");
    expect(stage.effectsOf("approved")).toHaveLength(1);
    expect(await historyOf(session)).toEqual(result.history);
    await expect(stage.agent.resume(state, { decisions })).rejects.toMatchObject({ code: "RUN_STATE" });
    expect(stage.effectsOf("approved")).toHaveLength(1);
    stage.stand.server.assertDone();
  });
});
