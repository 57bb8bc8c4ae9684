import { reply } from "../reply.js";
import type { ReplyFunction } from "../script.js";
import { watchingTimers } from "./own-timers.js";
import type { Findings } from "./report.js";
import { answerOf, call, callsOf } from "./scenarios.js";
import { type End, type Mode, modeName, Stage } from "./stage.js";
import type { Lab } from "./subject.js";
import { abortMs, sleep, turns, within } from "./time-bounds.js";
import { Watch } from "./watch.js";

/** A run that is aborted at some point. */
interface Course {
  readonly name: string;
  readonly script: ReplyFunction;
  /** Whether it is time to abort. Left out for a wait that only some middlewares have. */
  isTime?(stage: Stage): boolean;
  readonly ways?: readonly Mode["way"][];
}

const executing =
  (...tools: readonly string[]) =>
  ({ executions }: Stage): boolean =>
    tools.every((tool) => executions.some((execution) => execution.tool === tool));

const hasTold = ({ parts }: Stage): boolean => parts.some((part) => part.some(({ type }) => type === "text-delta"));

const anyRun = "while it waits in a run of many steps";
const before = "where it waited, before this:";

const courses: readonly Course[] = [
  {
    name: "while the model is asked",
    script: () => reply.hang({ beforeHeaders: true }),
    isTime: ({ server }) => server.requests.length > 0,
  },
  {
    name: "while a reply comes in",
    script: () => reply.hang({ afterEvents: 14 }, answerOf(1, "A long answer. ".repeat(20))),
    isTime: hasTold,
    ways: ["stream"],
  },
  {
    name: "while tools run",
    script: ({ index }) => (index === 0 ? callsOf(1, call("look", 1), call("hang", 2), call("hang_write", 3)) : answerOf(2 + index)),
    isTime: executing("look", "hang", "hang_write"),
  },
  {
    name: "while it waits after a failed request",
    script: ({ index }) => (index === 0 ? callsOf(1, call("write", 1)) : reply.http(503)),
  },
  {
    name: "while it waits after a failed call",
    script: ({ index }) => (index === 0 ? callsOf(1, call("look", 1), call("always_busy", 2)) : answerOf(2 + index)),
  },
  {
    name: anyRun,
    script: ({ index }) => (index < 6 ? callsOf(index, call("look", 2 * index), call("write", 2 * index + 1)) : answerOf(index)),
  },
];

/** Aborts at every point where something waits. */
export async function abort(lab: Lab): Promise<Findings> {
  const ways = new Set(lab.subject.modes.map(({ way }) => way));
  const waits: string[] = [];
  const problems = await watchingTimers(async () => {
    const jobs = courses.flatMap((course) => [...(course.ways ?? ways)].filter((way) => ways.has(way)).map((way) => ({ course, way })));
    return Promise.all(jobs.map(({ course, way }) => abortedProblems(lab, course, way, waits)));
  });
  const found = problems.flat();
  const where = [...new Set(waits)];
  // What holds up any run holds up the scenarios too.
  const always = where.includes(anyRun) || where.some((each) => each.startsWith(before));
  return {
    problems: found.length > 0 || always ? found : await leftListeners(lab),
    note: where.length === 0 ? "It never waited by itself." : `It was aborted ${where.join(", ")}.`,
  };
}

// Of runs that came to their end by themselves.
async function leftListeners(lab: Lab): Promise<readonly string[]> {
  const done = await lab.all();
  return done.flatMap(({ watch, place }) => {
    const { left } = watch.listeners;
    return left === 0 ? [] : [`${place}: ${left} ${left === 1 ? "listener was" : "listeners were"} left on the run's signal.`];
  });
}

async function abortedProblems(lab: Lab, course: Course, way: Mode["way"], waits: string[]): Promise<readonly string[]> {
  const watch = new Watch();
  const mode: Mode = { way, history: lab.subject.modes.find((each) => each.way === way)?.history ?? "local" };
  const stage = await Stage.open({ script: course.script, mode }, watch.over(lab.subject.make()));
  const place = `aborted ${course.name} (${modeName(mode)})`;
  try {
    const reason = new Error("enough");
    const running = stage.start("Go.");
    const at = await moment(stage, watch, course, running);
    if (at === "waits") waits.push(course.isTime === undefined ? course.name : `${before} ${course.name}`);
    if (at === "over") {
      const { ends } = await running;
      return course.isTime === undefined ? [] : [`${place}: the run ended with "${ends}" before it was time to abort.`];
    }
    stage.abort(reason);
    const found = [...endProblems(await within(abortMs, running), reason), ...(await leftProblems(watch)), ...remarks(watch)];
    return found.map((problem) => `${place}: ${problem}`);
  } finally {
    await stage.close();
  }
}

/** Milliseconds without any move after which it is a wait. */
const waitMs = 10;

/** Looks on until it is time to abort, something waits by itself, or the run is over. */
async function moment(stage: Stage, watch: Watch, { isTime }: Course, running: Promise<End>): Promise<"time" | "waits" | "over"> {
  let over = false;
  void running.finally(() => (over = true));
  // It must be so for a while: between two layers a wrap is by itself for a moment.
  for (let still: { readonly moves: number; readonly at: number } | undefined; ;) {
    if (over) return "over";
    if (isTime?.(stage) === true) return "time";
    const { moves } = watch;
    if (!watch.waitsByItself) still = undefined;
    else if (still?.moves !== moves) still = { moves, at: performance.now() };
    else if (performance.now() - still.at > waitMs) return "waits";
    await sleep(2);
  }
}

function* endProblems(end: End | "hangs", reason: Error): Generator<string> {
  if (end === "hangs" || end.ends === "hangs") {
    yield `the run went on for more than ${abortMs} ms.`;
    return;
  }
  if (end.ends !== "RUN_ABORTED") yield `the run ended with "${end.ends}", where RUN_ABORTED was expected.`;
  else if (end.error?.cause !== reason) yield "the error's cause is not the reason that the signal was aborted with.";
  if (end.ends === "RUN_ABORTED" && end.result === undefined) yield "the error has no `result` with the work done until then.";
}

async function leftProblems(watch: Watch): Promise<readonly string[]> {
  // Nothing that heeds the signal needs longer than this, however short its timers are.
  await turns(20);
  const timers = watch.timers.endLeft();
  if (timers > 0) return [`${timers} ${timers === 1 ? "timer was" : "timers were"} left running: end every wait with \`signal\`.`];
  const end = performance.now() + abortMs;
  while (watch.unfinished.length > 0 && performance.now() < end) await sleep(5);
  return watch.unfinished.length > 0 ? [`${watch.unfinished.join(", ")} did not end: end every wait with \`signal\`.`] : [];
}

const remarks = (watch: Watch): readonly string[] => watch.remarks.filter(({ check }) => check === "abort").map(({ text }) => text);
