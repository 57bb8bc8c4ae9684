import type { Middleware, MiddlewareTrait } from "@toolwright/core";
import { conduct, type Trace } from "./conduct.js";
import { type Scenario, scenarios } from "./scenarios.js";
import { type Mode, modeName } from "./stage.js";
import type { MiddlewareChanges } from "./view.js";
import { Watch } from "./watch.js";

/** What a suite looks at. */
export interface Subject {
  /** In words, for messages. */
  readonly name: string;
  /** The pipeline, anew for each agent. */
  make(): readonly Middleware[];
  readonly changes: MiddlewareChanges;
  readonly modes: readonly Mode[];
  /** Whether the history that a run leaves is looked at. */
  readonly goesOn: boolean;
  /** What it has written elsewhere so far, each line or record as a text. */
  readonly written: (() => readonly string[]) | undefined;
}

/** A scenario that was carried out with the subject in place. */
export interface Conducted {
  readonly scenario: Scenario;
  readonly mode: Mode;
  readonly trace: Trace;
  readonly watch: Watch;
  /** Where it was, in words. */
  readonly place: string;
}

const side = 4;
// Each takes seconds.
const mostHanging = 2;

/** Carries out scenarios with a subject, each once, for all checks that look at them. */
export class Lab {
  readonly #done = new Map<string, Promise<Conducted>>();

  constructor(readonly subject: Subject) {}

  /** Everything that is carried out in scenarios of a kind. */
  async all(wanted: (scenario: Scenario) => boolean = () => true): Promise<readonly Conducted[]> {
    const jobs = scenarios.filter(wanted).flatMap((scenario) => this.subject.modes.map((mode) => ({ scenario, mode })));
    const done: Conducted[] = [];
    let hanging = 0;
    let next = 0;
    const work = async (): Promise<void> => {
      for (let at = next; at < jobs.length; at = next) {
        next += 1;
        const job = jobs[at];
        if (job === undefined) return;
        const conducted = await this.#once(job.scenario, job.mode);
        done[at] = conducted;
        if (conducted.trace.ends.at(-1)?.ends !== "hangs") continue;
        hanging += 1;
        if (hanging >= mostHanging) throw new Error(`${conducted.place}: the run hangs, as others did before. The rest was not looked at.`);
      }
    };
    // They mostly wait.
    await Promise.all(Array.from({ length: side }, work));
    return done;
  }

  #once(scenario: Scenario, mode: Mode): Promise<Conducted> {
    const key = `${scenario.name}, ${modeName(mode)}`;
    let done = this.#done.get(key);
    if (done === undefined) this.#done.set(key, (done = this.#conduct(scenario, mode, `in "${scenario.name}" (${modeName(mode)})`)));
    return done;
  }

  async #conduct(scenario: Scenario, mode: Mode, place: string): Promise<Conducted> {
    const watch = new Watch();
    const trace = await conduct(scenario, mode, watch.over(this.subject.make()), this.subject.goesOn);
    return { scenario, mode, trace, watch, place };
  }
}

const plain = new Map<string, Promise<Trace>>();

/** The same scenario without any middleware. */
export function withoutMiddleware(scenario: Scenario, mode: Mode): Promise<Trace> {
  const key = `${scenario.name}, ${modeName(mode)}`;
  let trace = plain.get(key);
  if (trace === undefined) plain.set(key, (trace = conduct(scenario, mode, [], false)));
  return trace;
}

/** True when a middleware says so of itself, or when its fields show it. */
function hasTrait({ traits, repeats, wrapModelCall, wrapToolCall }: Middleware, trait: MiddlewareTrait): boolean {
  if (traits !== undefined) return traits.includes(trait);
  if (repeats !== true) return false;
  return (trait === "repeats-model" && wrapModelCall !== undefined) || (trait === "repeats-tool" && wrapToolCall !== undefined);
}

/** Scenarios in which the subject has no reason to make a difference. */
export function withoutReason(list: readonly Middleware[]): (scenario: Scenario) => boolean {
  return ({ unless = [] }) => !unless.some((trait) => list.some((middleware) => hasTrait(middleware, trait)));
}
