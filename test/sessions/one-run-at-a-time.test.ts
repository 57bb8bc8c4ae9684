import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { Agent, defineMiddleware, type HistoryOption, type Session, sqliteSession, type ToolwrightError } from "@toolwright/core";
import { reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { serve } from "../support/serve.js";
import { callOf, numberTool } from "../support/tools.js";
import { ends } from "../support/wait.js";
import { failureOf } from "../support/ways.js";
import { historyOf, kinds, temporaryFolder } from "./support.js";

const on = (session: Session): HistoryOption => ({ kind: "local", session });

/** A promise and the way to settle it. */
function gate(): { readonly passed: Promise<void>; pass(): void } {
  let pass = (): void => {};
  const passed = new Promise<void>((resolve) => (pass = resolve));
  return { passed, pass: () => pass() };
}

describe.each(kinds)("one run at a time on a session in $kind", ({ make }) => {
  it("a second run is refused before any request, and one after the first is welcome", async () => {
    await using stand = await serve([reply.calls(callOf("wait", "call_1", 1)), reply.text("Done."), reply.text("Next.")]);
    using kept = make();
    const inside = gate();
    const goOn = gate();
    const wait = numberTool("wait", async () => (inside.pass(), await goOn.passed, "waited"));
    const agent = new Agent({ model: "test", client: stand.client, tools: [wait], history: on(kept.session) });
    const first = agent.run("First.");
    await ends(inside.passed);
    const error = await ends(failureOf(agent.run("Second.")));
    expect(error).toMatchObject({ code: "RUN_SESSION_BUSY", retryable: true, fix: expect.stringContaining("session of its own") });
    expect(error.message).toContain("this process");
    expect(stand.server.requests).toHaveLength(1);
    goOn.pass();
    const result = await ends(first);
    expect(result.output).toBe("Done.");
    // Whoever refused the second run has not harmed the first.
    expect(await historyOf(kept.session)).toEqual(result.history);
    expect((await ends(agent.run("Third."))).output).toBe("Next.");
    stand.server.assertDone();
  });

  it("a run of the same session inside one of its tools is told so", async () => {
    await using stand = await serve([reply.calls(callOf("nest", "call_1", 1)), reply.text("Done.")]);
    using kept = make();
    const nest = numberTool("nest", (): Promise<string> =>
      inner.run("Inside.").then(
        () => "ran",
        (error: unknown) => String((error as ToolwrightError).code),
      ),
    );
    const inner: Agent = new Agent({ model: "test", client: stand.client, tools: [nest], history: on(kept.session) });
    const result = await ends(inner.run("Go."));
    expect(result.steps[0]?.calls[0]?.outcome).toEqual({ kind: "ok", output: "RUN_SESSION_BUSY" });
    stand.server.assertDone();
  });

  it.each([
    ["fails", reply.http(400), undefined],
    ["is aborted", reply.text("Never read."), AbortSignal.abort()],
  ])("a run that %s lets go of it", async (_, answer, signal) => {
    await using stand = await serve([answer, reply.text("Here.")], { allowUnused: true });
    using kept = make();
    const agent = new Agent({ model: "test", client: stand.client, history: on(kept.session) });
    await ends(failureOf(agent.run("First.", { signal })));
    expect((await ends(agent.run("Second."))).stopReason).toBe("completed");
  });

  it("a run that its own wrap has left behind can write no more", async () => {
    await using stand = await serve([reply.calls(callOf("wait", "call_1", 1)), reply.text("New."), reply.text("Late.")], {
      allowUnused: true,
    });
    using kept = make();
    const inside = gate();
    const goOn = gate();
    const wait = numberTool("wait", async () => (inside.pass(), await goOn.passed, "waited"));
    const tooSlow = inside.passed.then((): never => {
      throw new Error("too slow");
    });
    const hasty = defineMiddleware({ name: "hasty", wrapRun: (call, next) => Promise.race([next(call), tooSlow]) });
    const left = new Agent({ model: "test", client: stand.client, tools: [wait], middleware: [hasty], history: on(kept.session) });
    expect((await ends(failureOf(left.run("First.")))).code).toBe("RUN_MIDDLEWARE");
    // The next run settles the step: a read that had started runs again.
    const next = new Agent({
      model: "test",
      client: stand.client,
      tools: [numberTool("wait", () => "read again")],
      history: on(kept.session),
    });
    const result = await ends(next.run("Second."));
    goOn.pass();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await historyOf(kept.reopen())).toEqual(result.history);
    expect(stand.server.requests).toHaveLength(2);
  });
});

describe("one run at a time on a session in a file", () => {
  it("holds for every object that stands for it, and not for other sessions in the file", async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, "chats.db");
    using one = sqliteSession({ path, id: "a" });
    using same = sqliteSession({ path: join(folder.path, ".", "chats.db"), id: "a" });
    using other = sqliteSession({ path, id: "b" });
    const held = await one.acquire?.();
    await expect(same.acquire?.()).rejects.toMatchObject({ code: "RUN_SESSION_BUSY" });
    await (await other.acquire?.())?.release();
    await held?.release();
    await (await same.acquire?.())?.release();
  });

  it("a session that is closed in the middle of a run is free, and the run is told", async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, "chats.db");
    const closed = sqliteSession({ path, id: "a" });
    const held = await closed.acquire?.();
    closed.close();
    await expect(held?.input([])).rejects.toMatchObject({ code: "RUN_SESSION", message: expect.stringContaining("closed") });
    await held?.release();
    using again = sqliteSession({ path, id: "a" });
    await (await again.acquire?.())?.release();
  });

  /** A process that holds the session until it is killed. */
  async function holder(path: string) {
    const child = fork(fileURLToPath(new URL("fixtures/hold.mjs", import.meta.url)), [path]);
    await once(child, "message");
    const kill = async () => {
      const gone = once(child, "exit");
      child.kill("SIGKILL");
      await gone;
    };
    return {
      child,
      kill,
      [Symbol.asyncDispose]: () => (child.exitCode === null && child.signalCode === null ? kill() : Promise.resolve()),
    };
  }

  it("holds among processes, and a process that was killed holds nothing", async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, "chats.db");
    await using other = await holder(path);
    using session = sqliteSession({ path, id: "chat" });
    const refusal: unknown = await session.acquire?.().catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: "RUN_SESSION_BUSY", message: expect.stringContaining(`process ${other.child.pid}`) });
    await other.kill();
    const held = await session.acquire?.();
    await held?.release();
  });

  it("a process that is silent for too long loses it, and cannot write any more when it wakes", async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, "chats.db");
    await using other = await holder(path);
    using session = sqliteSession({ path, id: "chat" });
    const setSeen = (seen: number) => {
      const database = new DatabaseSync(path);
      database.prepare("UPDATE sessions SET owner_seen = ?").run(seen);
      database.close();
    };
    setSeen(Date.now() - 25_000);
    await expect(session.acquire?.()).rejects.toMatchObject({ code: "RUN_SESSION_BUSY" });
    setSeen(Date.now() - 31_000);
    const held = await session.acquire?.();
    other.child.send("write");
    const [answer] = (await once(other.child, "message")) as [unknown];
    expect(answer).toBe("RUN_SESSION");
    await held?.input([]);
    await held?.release();
  });

  it("a process of another machine or container is not judged by its number", async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, "chats.db");
    const other = await holder(path);
    await other.kill();
    using session = sqliteSession({ path, id: "chat" });
    const database = new DatabaseSync(path);
    database.prepare("UPDATE sessions SET owner_machine = 'elsewhere'").run();
    await expect(session.acquire?.()).rejects.toMatchObject({
      code: "RUN_SESSION_BUSY",
      message: expect.stringContaining("another machine"),
    });
    // A clock that was set back is no sign of life either.
    database.prepare("UPDATE sessions SET owner_seen = ?").run(Date.now() + 3_600_000);
    database.close();
    await (await session.acquire?.())?.release();
  });

  it("a number that this process has by chance does not hold it", async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, "chats.db");
    using session = sqliteSession({ path, id: "chat" });
    await (await session.acquire?.())?.release();
    const held = await session.acquire?.();
    const database = new DatabaseSync(path);
    // As a container leaves it whose processes get the same numbers at each start.
    database.prepare("UPDATE sessions SET owner = 'of a former life'").run();
    database.close();
    await expect(held?.input([])).rejects.toMatchObject({ code: "RUN_SESSION" });
    await (await session.acquire?.())?.release();
  });
});
