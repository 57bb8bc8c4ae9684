import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  type Decision,
  type HistoryOption,
  type Interruption,
  memorySession,
  type RunState,
  type SqliteSession,
  sqliteSession,
  ToolwrightError,
} from "@toolwright/core";
import { expect } from "vitest";
import { temporaryFolder } from "../sessions/support.js";
import { withConversation } from "./pausing.js";
import { type Effect, plannedAgent } from "./random-pauses-agents.js";
import { type End, endOf, type Leg, resumeIn, startIn } from "./random-pauses-leg.js";
import { mischief } from "./random-pauses-mischief.js";
import { plannedModel } from "./random-pauses-model.js";
import type { PausePlan, Place } from "./random-pauses-plan.js";
import { decide, mixed } from "./random-pauses-words.js";
import { serve, type Stand } from "./serve.js";
import { ends } from "./wait.js";

/** What came of a plan, with its pauses or without. */
export interface PausesOutcome {
  readonly end: End;
  readonly effects: readonly Effect[];
  /** What the model reads in the run after it, in short. */
  readonly after: string;
  readonly requests: number;
  readonly refusals: readonly string[];
  /** What was met on the way. */
  readonly met: ReadonlySet<string>;
}

/** The run as it goes when nobody has to be waited for: what a person would say happens at once. */
export async function carryOutUnasked(plan: PausePlan): Promise<PausesOutcome> {
  await using stand = await serve(plannedModel(plan));
  const effects: Effect[] = [];
  const options = { plan, url: stand.server.url, record: (effect: Effect) => effects.push(effect), unasked: true } as const;
  let end = await ends(endOf(startIn(plannedAgent(options), "run", "at ", { kind: "local" })));
  // What no tool here can be without: a hosted server's own questions, and writes in doubt.
  while (end.stopReason === "interrupted") {
    const decisions = end.interruptions.map((each) => decide(plan, each));
    end = await ends(endOf(resumeIn({ ...options, state: end.state, decisions, way: "run" }, undefined)));
  }
  return await finished(stand, end, effects, new Set(), plannedAgent(options).run("at end", { history: end.history }));
}

/** The run with all its pauses, restarts, decisions and what is tried in vain. */
export async function carryOutPaused(plan: PausePlan): Promise<PausesOutcome> {
  await using stand = await serve(plannedModel(plan), withConversation);
  using kept = new Kept(plan);
  const run = new PausedRun(plan, stand, kept);
  const end = await run.toEnd();
  const agent = plannedAgent({ plan, url: stand.server.url, record() {} });
  const history = kept.again() ?? (JSON.parse(JSON.stringify(end.history)) as HistoryOption);
  return await finished(stand, end, run.effects, run.met, agent.run("at end", { history }));
}

async function finished(
  { server }: Stand,
  end: End,
  effects: readonly Effect[],
  met: ReadonlySet<string>,
  next: Promise<{ readonly output?: unknown }>,
): Promise<PausesOutcome> {
  const requests = server.requests.length;
  const { output } = await ends(next);
  const refusals = server.requests.flatMap(({ refusal }) => (refusal === undefined ? [] : [refusal.message]));
  return { end, effects, after: JSON.stringify(output), requests, refusals, met };
}

/** The history of a plan, and what a state in JSON does not hold of it. */
class Kept {
  readonly file: string | undefined;
  readonly history: HistoryOption;
  readonly #folder: ReturnType<typeof temporaryFolder> | undefined;
  readonly #opened: SqliteSession[] = [];

  constructor({ kind }: PausePlan) {
    this.#folder = kind === "file" ? temporaryFolder() : undefined;
    this.file = this.#folder === undefined ? undefined : join(this.#folder.path, "chats.db");
    if (kind === "memory") this.history = { kind: "local", session: memorySession() };
    else if (kind === "file") this.history = this.#open();
    else this.history = kind === "conversation" ? { kind, id: "conv_1" } : { kind };
  }

  #open(): HistoryOption {
    const session = sqliteSession({ path: this.file ?? "", id: "chat" });
    this.#opened.push(session);
    return { kind: "local", session };
  }

  /** The session as somebody else opens it; undefined where there is none. */
  again(): HistoryOption | undefined {
    if (this.file !== undefined) return this.#open();
    return this.history.kind === "local" && this.history.session !== undefined ? this.history : undefined;
  }

  [Symbol.dispose](): void {
    for (const session of this.#opened) session.close();
    this.#folder?.[Symbol.dispose]();
  }
}

class PausedRun {
  readonly effects: Effect[] = [];
  readonly met = new Set<string>();
  readonly #plan: PausePlan;
  readonly #stand: Stand;
  readonly #kept: Kept;
  #round = 0;

  constructor(plan: PausePlan, stand: Stand, kept: Kept) {
    this.#plan = plan;
    this.#stand = stand;
    this.#kept = kept;
  }

  async toEnd(): Promise<End> {
    let end = await ends(endOf(startIn(plannedAgent(this.#options()), this.#way(), "at ", this.#kept.history)));
    for (this.#round = 1; end.stopReason === "interrupted"; this.#round += 1) {
      if (this.#round > 60) throw new Error("The run pauses for ever.");
      this.#expectUndone(end.interruptions);
      const { state } = end;
      const decisions = this.#decisions(end.interruptions);
      await this.#inVain(state, end.interruptions, decisions);
      const place = this.#place();
      end = await this.#goOn(place, state, decisions);
      // Without a store, another process knows nothing of what this one has carried out.
      if (place !== "process" || this.#kept.file !== undefined) await this.#again(state, decisions);
    }
    return end;
  }

  #options() {
    return { plan: this.#plan, url: this.#stand.server.url, record: (effect: Effect): unknown => this.effects.push(effect) };
  }

  #pick<T>(list: readonly T[]): T {
    return list[this.#round % list.length] as T; // no list of a plan is empty
  }

  #way(): Leg["way"] {
    return this.#pick(this.#plan.ways);
  }

  // A session in memory is this process's alone.
  #place(): Place {
    const place = this.#pick(this.#plan.places);
    return place === "process" && this.#plan.kind === "memory" ? "text" : place;
  }

  /** What a person says now; the rest is for later, and never all of it. */
  #decisions(interruptions: readonly Interruption[]): readonly Decision[] {
    const isLater = ({ callId }: Interruption): boolean => this.#round <= this.#plan.partial && mixed(`${this.#round} ${callId}`) % 2 === 0;
    const now = interruptions.filter((each) => !isLater(each));
    if (now.length < interruptions.length) this.met.add("a partial decision");
    return (now.length === 0 ? interruptions.slice(0, 1) : now).map((each) => decide(this.#plan, each));
  }

  #expectUndone(interruptions: readonly Interruption[]): void {
    const done = new Set(this.effects.map(({ place }) => place));
    for (const { callId, reason, path } of interruptions) {
      expect(done.has(callId), `${callId} ran before anybody was asked`).toBe(false);
      this.met.add(reason).add(`${path?.length ?? 0} deep`);
      if (callId.includes("mcpr_")) this.met.add("a hosted server's question");
    }
  }

  async #inVain(state: RunState, interruptions: readonly Interruption[], decisions: readonly Decision[]): Promise<void> {
    const kind = this.#pick(this.#plan.mischief);
    const wrong = kind === undefined ? undefined : mischief(kind, state, interruptions, decisions);
    if (kind === undefined || wrong === undefined) return;
    this.met.add(kind);
    const before = [this.effects.length, this.#stand.server.requests.length];
    const refused = await codeOf(resumeIn({ ...this.#options(), ...wrong, way: this.#way() }, this.#kept.again()));
    expect(refused, kind).toBe("RUN_STATE");
    expect([this.effects.length, this.#stand.server.requests.length], kind).toEqual(before);
  }

  async #goOn(place: Place, state: RunState, decisions: readonly Decision[]): Promise<End> {
    this.met.add(`goes on: ${place}`);
    const leg = { ...this.#options(), decisions, way: this.#way() };
    if (place === "object") return ends(endOf(resumeIn({ ...leg, state }, undefined)));
    const text = JSON.stringify(state);
    if (place === "process") return this.#elsewhere({ ...leg, state: text });
    return ends(endOf(resumeIn({ ...leg, state: place === "text" ? text : (JSON.parse(text) as RunState) }, this.#kept.again())));
  }

  async #elsewhere(leg: Leg): Promise<End> {
    const { end, effects } = await inProcess(JSON.stringify({ leg, file: this.#kept.file }));
    this.effects.push(...effects);
    return end;
  }

  /** The same state once more: it is refused, or what it says has no effect any more. */
  async #again(state: RunState, decisions: readonly Decision[]): Promise<void> {
    const before = this.effects.length;
    const text = JSON.stringify(state);
    const again = await codeOf(resumeIn({ ...this.#options(), decisions, state: text, way: this.#way() }, this.#kept.again()));
    expect(["RUN_STATE", "interrupted"]).toContain(again);
    this.met.add(`again: ${again}`);
    expect(this.effects.slice(before)).toEqual([]);
  }
}

const codeOf = (run: Promise<{ readonly stopReason: string }>): Promise<string> =>
  ends(run).then(
    ({ stopReason }) => stopReason,
    (error: unknown) => (ToolwrightError.is(error) ? error.code : String(error)),
  );

const worker = fileURLToPath(new URL("random-pauses-worker.mjs", import.meta.url));

/** Goes on with a paused run in a process of its own. */
function inProcess(input: string): Promise<{ readonly end: End; readonly effects: readonly Effect[] }> {
  return new Promise((resolve, reject) => {
    const child = execFile(process.execPath, [worker], { timeout: 30_000, maxBuffer: 2 ** 28 }, (error, stdout) => {
      if (error === null) resolve(JSON.parse(stdout) as Awaited<ReturnType<typeof inProcess>>);
      else reject(error);
    });
    child.stdin?.end(input);
  });
}
