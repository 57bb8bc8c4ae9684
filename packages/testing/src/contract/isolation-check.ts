import { reply, type OutputReply } from "../reply.js";
import type { ReplyFunction } from "../script.js";
import { firstDifference } from "./difference.js";
import type { Findings } from "./report.js";
import { call, replyUsage } from "./scenarios.js";
import { type End, type Mode, modeName, Stage } from "./stage.js";
import type { Lab, Subject } from "./subject.js";
import { sleep } from "./time-bounds.js";
import { viewOf } from "./view.js";
import { Watch } from "./watch.js";

/** Words that stand in everything of one run and in nothing of the other. */
const markers = ["alpha-otter", "bravo-heron"] as const;
type Marker = (typeof markers)[number];

const stepsOfRun = 3;

// Both runs use the same call ids, as servers do. Steps have calls that do well and calls that do not.
function replyTo(marker: Marker, n: number): OutputReply {
  const text = (at: number) => ({ text: `${marker} ${at}` });
  const calls = [
    [call("look", 1, text(1)), call("write", 2, text(2))],
    [call("refuse", 3, text(3)), call("look", 4, `{"wrong":"${marker}"}`)],
    [call("look_long", 5, text(5)), call("look", 6, text(6))],
  ][n];
  const parts = calls === undefined ? reply.text(`Done with ${marker}.`, { id: `msg_${n}` }) : reply.calls(...calls);
  return reply.output(parts).with({ responseId: `resp_${marker}_${n}`, usage: replyUsage });
}

/** Lets two meet at each step, or go on alone after a while. */
class Meeting {
  readonly #waiting = new Map<number, () => void>();

  async at(step: number): Promise<void> {
    const other = this.#waiting.get(step);
    if (other !== undefined) return other();
    const met = new Promise<void>((resolve) => this.#waiting.set(step, resolve));
    // A middleware may rightly hold one of the two back.
    await Promise.race([met, sleep(150)]);
  }
}

interface Seen {
  readonly end: End;
  /** All that belongs to the run, as one text. */
  readonly text: string;
  readonly view: object;
}

/** Two runs of one agent at once, against each of them alone. */
export async function isolation(lab: Lab): Promise<Findings> {
  const { subject } = lab;
  const modes = subject.modes.filter(({ way }, at) => subject.modes.findIndex((other) => other.way === way) === at);
  const problems = await Promise.all(modes.map((mode) => problemsIn(subject, mode)));
  return { problems: problems.flat() };
}

async function problemsIn(subject: Subject, mode: Mode): Promise<readonly string[]> {
  const alone = await Promise.all(markers.map((marker) => carryOut(subject, mode, [marker])));
  const together = await carryOut(subject, mode, markers);
  const found = markers.flatMap((marker, at) => {
    const other = markers[1 - at] as Marker; // there are two
    const [expected, seen] = [alone[at]?.runs.get(marker), together.runs.get(marker)];
    const difference = firstDifference(expected?.view, seen?.view);
    return [
      ...(difference === undefined ? [] : [`beside another run, a run went another way than alone: ${difference}.`]),
      ...(seen?.text.includes(other) === true ? ["content of one run was found in the other one."] : []),
    ];
  });
  return [...new Set([...found, ...together.problems])].map((problem) => `two runs at once (${modeName(mode)}): ${problem}`);
}

async function carryOut(
  subject: Subject,
  mode: Mode,
  runs: readonly Marker[],
): Promise<{ readonly runs: ReadonlyMap<Marker, Seen>; readonly problems: readonly string[] }> {
  const meeting = new Meeting();
  const steps = new Map<Marker, number>();
  const script: ReplyFunction = async ({ body, context }) => {
    const marker = markers.find((each) => JSON.stringify([body.input, context]).includes(each)) ?? markers[0];
    const step = steps.get(marker) ?? 0;
    steps.set(marker, step + 1);
    if (runs.length > 1 && step <= stepsOfRun) await meeting.at(step);
    return replyTo(marker, step);
  };
  const watch = new Watch();
  const before = subject.written?.().length ?? 0;
  const stage = await Stage.open({ script, mode }, watch.over(subject.make()));
  try {
    const ends = await Promise.all(runs.map((marker) => stage.start(`Go, ${marker}.`)));
    const seen = new Map(runs.map((marker, at) => [marker, seenOf(subject, stage, marker, ends[at] as End)]));
    const ids = new Map(runs.map((marker, at) => [ends[at]?.result?.runId, marker]));
    const lines = subject.written?.().slice(before) ?? [];
    return { runs: seen, problems: [...mixedStates(watch, ids), ...mixedLines(lines, ids)] };
  } finally {
    await stage.close();
  }
}

function seenOf(subject: Subject, stage: Stage, marker: Marker, end: End): Seen {
  const own = (text: string): boolean => text.includes(marker);
  const requests = stage.server.requests.filter(({ text, context }) => own(text) || own(JSON.stringify(context)));
  const executions = stage.executions.filter((execution) => own(JSON.stringify(execution)));
  const part = stage.parts.find((each) => each[0]?.runId === end.result?.runId) ?? [];
  const trace = { ends: [end], requests, executions, parts: [part] };
  const text = JSON.stringify([end.result, end.error?.message, requests.map((request) => request.text), part]);
  return { end, text, view: viewOf(trace, subject.changes) };
}

function mixedStates(watch: Watch, ids: ReadonlyMap<string | undefined, Marker>): readonly string[] {
  return [...watch.stateTexts].flatMap(([runId, texts]) => {
    const foreign = [...texts].find((text) => markers.some((marker) => marker !== ids.get(runId) && text.includes(marker)));
    return foreign === undefined ? [] : [`the state of one run held content of the other one: ${foreign.slice(0, 200)}`];
  });
}

// What speaks of one run by its id may not hold what belongs to the other.
function mixedLines(lines: readonly string[], ids: ReadonlyMap<string | undefined, Marker>): readonly string[] {
  const mixed = lines.filter((line) =>
    [...ids].some(
      ([runId, marker]) => runId !== undefined && line.includes(runId) && markers.some((each) => each !== marker && line.includes(each)),
    ),
  );
  return mixed.map((line) => `what it wrote of one run holds content of the other one: ${line.slice(0, 200)}`);
}
