import { execFile, fork } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { inspect, promisify } from "node:util";
import { Agent, type SqliteSession, sqliteSession, type SqliteSessionOptions } from "@toolwright/core";
import { reply } from "@toolwright/testing";
import { describe, expect, it } from "vitest";
import { serve } from "../support/serve.js";
import { ends } from "../support/wait.js";
import { failureOf } from "../support/ways.js";
import { temporaryFolder } from "./support.js";

const answer = (text: string) => ({ type: "message", role: "assistant", content: text });
const step = (number: number) => ({ runId: "run_1", step: number, responseId: undefined });
const start = promisify(execFile);
const here = fileURLToPath(new URL(".", import.meta.url));

/** Evaluates a module in a process of its own, next to this file; gives what it prints. */
async function evaluate(source: string, ...flags: readonly string[]): Promise<string> {
  const { stdout } = await start(process.execPath, [...flags, "--input-type=module", "--eval", source], { cwd: here });
  return stdout.trim();
}

async function write(session: SqliteSession, ...texts: readonly string[]): Promise<void> {
  for (const [index, text] of texts.entries()) await session.reply({ ...step(index), output: [answer(text)] });
}

const contents = async (session: SqliteSession): Promise<readonly unknown[]> => (await session.load()).items.map((item) => item["content"]);

describe("a file of sessions", () => {
  it("holds many, each with its own items, for as many objects as there are", async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, "chats.db");
    const ids = ["a", "A", 'it\'s "b"', "ключ\u0000", "a "];
    for (const id of ids) {
      using session = sqliteSession({ path, id });
      await write(session, `of ${id}`, "and more");
    }
    const sessions = ids.map((id) => sqliteSession({ path, id }));
    expect(await Promise.all(sessions.map(contents))).toEqual(ids.map((id) => [`of ${id}`, "and more"]));
    for (const session of sessions) session.close();
    using empty = sqliteSession({ path, id: "b" });
    expect(await contents(empty)).toEqual([]);
  });

  it("is in write-ahead mode, and a copy taken while it is open is whole", async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, "chats.db");
    using session = sqliteSession({ path, id: "chat" });
    await write(session, "Hello.");
    const copy = join(folder.path, "copy.db");
    copyFileSync(path, copy);
    copyFileSync(`${path}-wal`, `${copy}-wal`);
    using copied = sqliteSession({ path: copy, id: "chat" });
    expect(await contents(copied)).toEqual(["Hello."]);
    const database = new DatabaseSync(path);
    expect(database.prepare("PRAGMA journal_mode").get()).toEqual({ journal_mode: "wal" });
    expect(database.prepare("PRAGMA user_version").get()).toEqual({ user_version: 1 });
    database.close();
  });

  it("a session can be closed twice, refuses everything then, and leaves the others open", async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, "chats.db");
    const closed = sqliteSession({ path, id: "a" });
    using open = sqliteSession({ path, id: "b" });
    const pending = closed.reply({ ...step(0), output: [answer("Just in time.")] });
    await pending;
    closed.close();
    closed.close();
    for (const use of [() => closed.load(), () => write(closed, "Late."), () => closed.acquire?.()]) {
      await expect(use()).rejects.toMatchObject({ code: "RUN_SESSION", message: expect.stringContaining("closed") });
    }
    await write(open, "Fine.");
    using again = sqliteSession({ path, id: "a" });
    expect(await contents(again)).toEqual(["Just in time."]);
  });

  it("records that are asked for at one time come to the same as one by one", async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, "chats.db");
    using session = sqliteSession({ path, id: "chat" });
    const held = await session.acquire?.();
    if (held === undefined) throw new Error("It cannot be held.");
    const callIds = Array.from({ length: 50 }, (_, index) => `call_${index}`);
    await held.reply({
      ...step(0),
      output: callIds.map((callId) => ({ type: "function_call", call_id: callId, name: "write", arguments: "{}" })),
    });
    const started = callIds.map((callId) =>
      held.started({ ...step(0), callId, tool: "app#write", arguments: "{}", idempotencyKey: callId }),
    );
    // One that is refused does not take the others with it.
    const refused = held.started({ ...step(7), callId: "call_0", tool: "app#write", arguments: "{}", idempotencyKey: "x" });
    const outcomes = callIds.slice(0, 25).map((callId) => held.outcome({ ...step(0), callId }, { kind: "ok", output: callId }));
    await expect(refused).rejects.toMatchObject({ code: "RUN_SESSION" });
    await Promise.all([...started, ...outcomes]);
    await held.release();
    const calls = (await session.load()).unfinished?.calls ?? [];
    expect(calls).toEqual(
      callIds.map((callId, index) => ({ callId, started: true, outcome: index < 25 ? { kind: "ok", output: callId } : undefined })),
    );
  });

  it("several processes write to it at once, and lose nothing", async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, "chats.db");
    const ids = ["a", "b", "c"];
    const children = ids.map((id) => fork(join(here, "fixtures/write-many.mjs"), [path, id, "40"]));
    const codes = await Promise.all(children.map(async (child) => ((await once(child, "exit")) as [number])[0]));
    expect(codes).toEqual([0, 0, 0]);
    for (const id of ids) {
      using session = sqliteSession({ path, id });
      expect(await contents(session)).toEqual(Array.from({ length: 40 }, (_, index) => `${id} ${index}`));
    }
  });
});

describe("a file that another process keeps locked", () => {
  /** Locks a file for writing until the lock is let go of. */
  function lock(path: string): Disposable {
    const database = new DatabaseSync(path);
    database.exec("BEGIN IMMEDIATE");
    return { [Symbol.dispose]: () => database.close() };
  }

  it("is waited for without holding up anything else", async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, "chats.db");
    using session = sqliteSession({ path, id: "chat" });
    await write(session, "Before.");
    const locked = lock(path);
    const waiting = session.reply({ ...step(1), output: [answer("After.")] });
    let ticks = 0;
    const ticking = setInterval(() => (ticks += 1), 10);
    await sleep(200);
    clearInterval(ticking);
    expect(ticks).toBeGreaterThan(3);
    // Reading does not wait.
    expect(await contents(session)).toEqual(["Before."]);
    locked[Symbol.dispose]();
    await ends(waiting);
    expect(await contents(session)).toEqual(["Before.", "After."]);
  });

  it("is given up after the time that was given, with nothing half done", async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, "chats.db");
    using session = sqliteSession({ path, id: "chat", busyTimeoutMs: 60 });
    {
      using _ = lock(path);
      await expect(ends(write(session, "Never."))).rejects.toMatchObject({
        code: "RUN_SESSION",
        retryable: true,
        message: expect.stringContaining("locked"),
      });
    }
    expect(await contents(session)).toEqual([]);
    await write(session, "Now.");
    expect(await contents(session)).toEqual(["Now."]);
  });

  it("does not hold up an abort", async () => {
    await using stand = await serve([reply.text("Never asked.")], { allowUnused: true });
    using folder = temporaryFolder();
    const path = join(folder.path, "chats.db");
    using session = sqliteSession({ path, id: "chat", busyTimeoutMs: 60_000 });
    await write(session, "Before.");
    const agent = new Agent({ model: "test", client: stand.client, history: { kind: "local", session } });
    const controller = new AbortController();
    {
      using _ = lock(path);
      const run = agent.run("Go.", { signal: controller.signal });
      await sleep(30);
      controller.abort(new Error("enough"));
      expect(await ends(failureOf(run))).toMatchObject({ code: "RUN_ABORTED", cause: expect.objectContaining({ message: "enough" }) });
    }
    // What it had asked for comes late, and is given back at once.
    await sleep(50);
    expect((await ends(agent.run("Go."))).output).toBe("Never asked.");
  });
});

describe("what cannot be opened", () => {
  it.each([
    [{ path: "", id: "a" }, "`path`"],
    [{ path: ":memory:", id: "a" }, "memorySession()"],
    [{ id: "a" }, "`path`"],
    [{ path: "x.db", id: "" }, "`id`"],
    [{ path: "x.db", id: "\ud800" }, "`id`"],
    [{ path: "x.db", id: 7 }, "`id`"],
    [{ path: "x.db", id: "a", busyTimeoutMs: 0.5 }, "`busyTimeoutMs`"],
    [undefined, "`path`"],
  ])("%j is a wrong option", (options, named) => {
    expect(() => sqliteSession(options as SqliteSessionOptions)).toThrow(
      expect.objectContaining({ code: "RUN_OPTIONS", message: expect.stringContaining(named) }),
    );
  });

  it("a directory that does not exist, a directory itself, and a file that is no database are named", () => {
    using folder = temporaryFolder();
    writeFileSync(join(folder.path, "text.db"), "This is no database, though it is long enough to be taken for one.".repeat(40));
    mkdirSync(join(folder.path, "folder.db"));
    for (const name of ["nowhere/chats.db", "folder.db", "text.db"]) {
      const path = join(folder.path, name);
      expect(() => sqliteSession({ path, id: "a" })).toThrow(
        expect.objectContaining({ code: "RUN_SESSION", message: expect.stringContaining(path), fix: expect.stringContaining("directory") }),
      );
    }
    expect(readFileSync(join(folder.path, "text.db"), "utf8")).toMatch(/^This is no database/);
  });

  it("a database of another program is left as it is", () => {
    using folder = temporaryFolder();
    const path = join(folder.path, "other.db");
    const other = new DatabaseSync(path);
    other.exec("CREATE TABLE notes (text TEXT)");
    expect(() => sqliteSession({ path, id: "a" })).toThrow(
      expect.objectContaining({ code: "RUN_SESSION", message: expect.stringContaining("another program") }),
    );
    expect(other.prepare("SELECT name FROM sqlite_schema").all()).toEqual([{ name: "notes" }]);
    expect(other.prepare("PRAGMA journal_mode").get()).toEqual({ journal_mode: "delete" });
    other.close();
  });

  it("a file of a later release is left as it is", () => {
    using folder = temporaryFolder();
    const path = join(folder.path, "chats.db");
    sqliteSession({ path, id: "a" }).close();
    const later = new DatabaseSync(path);
    later.exec("PRAGMA user_version = 99");
    expect(() => sqliteSession({ path, id: "a" })).toThrow(
      expect.objectContaining({
        code: "RUN_SESSION",
        message: expect.stringMatching(/99.*up to 1/),
        fix: expect.stringContaining("Update"),
      }),
    );
    later.close();
  });
});

describe("node:sqlite", () => {
  const loaded = `process.moduleLoadList.some((name) => /sqlite/i.test(name))`;

  it("is loaded by the first session in a file, and not before", async () => {
    using folder = temporaryFolder();
    const path = JSON.stringify(join(folder.path, "chats.db"));
    const source = `
      const core = await import("@toolwright/core");
      const before = ${loaded};
      await core.memorySession().load();
      const inMemory = ${loaded};
      core.sqliteSession({ path: ${path}, id: "a" }).close();
      console.log(JSON.stringify([before, inMemory, ${loaded}]));`;
    expect(JSON.parse(await evaluate(source))).toEqual([false, false, true]);
  });

  it("where it is missing, the error says what to do", async () => {
    const source = `
      const { sqliteSession } = await import("@toolwright/core");
      try { sqliteSession({ path: "x.db", id: "a" }); } catch (error) { console.log(JSON.stringify([error.code, error.fix])); }`;
    expect(JSON.parse(await evaluate(source, "--no-experimental-sqlite"))).toEqual([
      "RUN_SESSION",
      expect.stringMatching(/Node 22\.13.*memorySession/),
    ]);
  });

  it("a process ends by itself when a session is left open", async () => {
    using folder = temporaryFolder();
    const path = JSON.stringify(join(folder.path, "chats.db"));
    const source = `
      const { sqliteSession } = await import("@toolwright/core");
      await sqliteSession({ path: ${path}, id: "a" }).acquire();
      console.log("held");`;
    expect(await ends(evaluate(source))).toBe("held");
  });

  it("printing a session shows none of its items", async () => {
    using folder = temporaryFolder();
    using session = sqliteSession({ path: join(folder.path, "chats.db"), id: "chat" });
    await write(session, "Secret words.");
    expect(inspect(session, { depth: 9, showHidden: true }) + JSON.stringify(session)).not.toContain("Secret words.");
  });
});
