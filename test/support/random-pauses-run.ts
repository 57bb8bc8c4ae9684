import { type Decision, type HistoryOption, type Interruption, type RunState, ToolwrightError } from "@toolwright/core";
import { withConversation } from "./pausing.js";
import { type Effect, plannedAgent } from "./random-pauses-agents.js";
import { Kept } from "./random-pauses-history.js";
import { type End, endOf, type Leg, resumeIn, startIn } from "./random-pauses-leg.js";
import { mischief } from "./random-pauses-mischief.js";
import { plannedModel } from "./random-pauses-model.js";
import type { PausePlan, Place } from "./random-pauses-plan.js";
import { inProcess } from "./random-pauses-process.js";
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
  /** What broke a rule on the way. */
  readonly complaints: readonly string[];
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
  return await finished(
    stand,
    { end, effects, met: new Set(), complaints: [] },
    plannedAgent(options).run("at end", { history: end.history }),
  );
}

/** The run with all its pauses, restarts, decisions and what is tried in vain. */
export async function carryOutPaused(plan: PausePlan): Promise<PausesOutcome> {
  await using stand = await serve(plannedModel(plan), withConversation);
  using kept = new Kept(plan);
  const run = new PausedRun(plan, stand, kept);
  const end = await run.toEnd();
  const agent = plannedAgent({ plan, url: stand.server.url, record() {} });
  const history = kept.again() ?? (JSON.parse(JSON.stringify(end.history)) as HistoryOption);
  const { effects, met, complaints } = run;
  return await finished(stand, { end, effects, met, complaints }, agent.run("at end", { history }));
}

async function finished(
  { server }: Stand,
  run: Omit<PausesOutcome, "after" | "requests" | "refusals">,
  next: Promise<{ readonly output?: unknown }>,
): Promise<PausesOutcome> {
  const requests = server.requests.length;
  const { output } = await ends(next);
  const refusals = server.requests.flatMap(({ refusal }) => (refusal === undefined ? [] : [refusal.message]));
  return { ...run, after: JSON.stringify(output), requests, refusals };
}

class PausedRun {
  readonly effects: Effect[] = [];
  readonly met = new Set<string>();
  readonly complaints: string[] = [];
  readonly #plan: PausePlan;
  readonly #stand: Stand;
  readonly #kept: Kept;
  #round = 0;
  /** The state at hand came out of another process, so it holds no session. */
  #isElsewhere = false;

  constructor(plan: PausePlan, stand: Stand, kept: Kept) {
    this.#plan = plan;
    this.#stand = stand;
    this.#kept = kept;
  }

  async toEnd(): Promise<End> {
    let end = await ends(endOf(startIn(plannedAgent(this.#options()), this.#way(), "at ", this.#kept.history)));
    for (this.#round = 1; end.stopReason === "interrupted"; this.#round += 1) {
      if (this.#round > 60) throw new Error("The run pauses for ever.");
      this.#lookBefore(end.interruptions);
      const { state } = end;
      const decisions = this.#decisions(end.interruptions);
      await this.#inVain(state, end.interruptions, decisions);
      const place = this.#place();
      end = await this.#goOn(place, state, decisions);
      this.#isElsewhere = place === "process";
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

  #lookBefore(interruptions: readonly Interruption[]): void {
    const done = new Set(this.effects.map(({ place }) => place));
    for (const { callId, reason, path } of interruptions) {
      if (done.has(callId)) this.complaints.push(`${callId} ran before anybody was asked`);
      this.met.add(reason).add(`${path?.length ?? 0} deep`);
      if (callId.includes("mcpr_")) this.met.add("a hosted server's question");
    }
  }

  async #inVain(state: RunState, interruptions: readonly Interruption[], decisions: readonly Decision[]): Promise<void> {
    const kind = this.#pick(this.#plan.mischief);
    const wrong = kind === undefined ? undefined : mischief(kind, state, interruptions, decisions);
    if (kind === undefined || wrong === undefined) return;
    this.met.add(kind);
    const { requests } = this.#stand.server;
    const before = [this.effects.length, requests.length];
    const end = await codeOf(resumeIn({ ...this.#options(), ...wrong, way: this.#way() }, this.#kept.again()));
    if (end !== "RUN_STATE") this.complaints.push(`${kind} ended as ${end}`);
    const after = [this.effects.length, requests.length];
    if (String(after) !== String(before))
      this.complaints.push(`${kind}: effects and requests went from ${before.join()} to ${after.join()}`);
  }

  async #goOn(place: Place, state: RunState, decisions: readonly Decision[]): Promise<End> {
    this.met.add(`goes on: ${place}`);
    const leg = { ...this.#options(), decisions, way: this.#way() };
    if (place === "object") return ends(endOf(resumeIn({ ...leg, state }, this.#isElsewhere ? this.#kept.again() : undefined)));
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
    this.met.add(`again: ${again}`);
    if (again !== "RUN_STATE" && again !== "interrupted") this.complaints.push(`the same state once more ended as ${again}`);
    for (const { place } of this.effects.slice(before)) this.complaints.push(`the same state once more ran ${place}`);
  }
}

const codeOf = (run: Promise<{ readonly stopReason: string }>): Promise<string> =>
  ends(run).then(
    ({ stopReason }) => stopReason,
    (error: unknown) => (ToolwrightError.is(error) ? error.code : String(error)),
  );
