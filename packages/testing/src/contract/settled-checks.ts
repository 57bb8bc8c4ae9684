import { isFunctionCall, isFunctionCallOutput, type Item } from "@toolwright/core";
import { firstDifference } from "./difference.js";
import type { CheckName, Findings } from "./report.js";
import { replyUsage, toldOutput } from "./scenarios.js";
import { type Conducted, type Lab, withoutMiddleware, withoutReason } from "./subject.js";
import { viewOf } from "./view.js";

const flat = async <T>(list: readonly T[], each: (one: T) => Promise<readonly string[]> | readonly string[]): Promise<readonly string[]> =>
  (await Promise.all(list.map(each))).flat();

/** What was noticed while scenarios went on. */
export const remarksOf = (check: CheckName, done: readonly Conducted[]): readonly string[] =>
  done.flatMap(({ watch, place }) => watch.remarks.filter((remark) => remark.check === check).map(({ text }) => `${place}: ${text}`));

/** With it and without it, the same. */
export async function passThrough(lab: Lab): Promise<Findings> {
  const { subject } = lab;
  const done = await lab.all(withoutReason(subject.make()));
  const problems = await flat(done, async ({ scenario, mode, trace, place }) => {
    const plain = viewOf(await withoutMiddleware(scenario, mode), subject.changes);
    const difference = firstDifference(plain, viewOf(trace, subject.changes));
    return difference === undefined ? [] : [`${place}: ${difference}.`];
  });
  return { problems };
}

/** Calls that wait for a person. */
export async function approvals(lab: Lab): Promise<Findings> {
  const { subject } = lab;
  const done = await lab.all(({ pauses }) => pauses === true);
  const free = subject.changes.outcomes === true || subject.changes.ends === true;
  const isExpected = withoutReason(subject.make());
  const problems = await flat(done, async ({ scenario, mode, trace, place }) => {
    if (free || !isExpected(scenario)) return [];
    const plain = await withoutMiddleware(scenario, mode);
    const ways = [plain, trace].map(({ ends }) =>
      ends.map((end) => ({
        ends: end.ends,
        waiting: end.result?.interruptions.map(({ callId, reason }) => `${callId}: ${reason}`),
        error: end.ends.startsWith("RUN_") ? end.error?.message : undefined,
      })),
    );
    const difference = firstDifference(ways[0], ways[1], "parts");
    return difference === undefined ? [] : [`${place}: ${difference}.`];
  });
  return { problems: [...remarksOf("approvals", done), ...problems] };
}

/** Each call and its output. */
export async function answers(lab: Lab): Promise<Findings> {
  const done = await lab.all();
  const problems = await flat(done, ({ trace, place }) => {
    const contexts = [...trace.requests, ...(trace.afterwards === undefined ? [] : [trace.afterwards])].map(({ context }) => context);
    const found = new Set([...contexts.flatMap(unanswered), ...unbound(trace, lab.subject.changes.outputs === true), ...unrecorded(trace)]);
    return [...found].map((problem) => `${place}: ${problem}`);
  });
  return { problems };
}

function unanswered(context: readonly Item[]): readonly string[] {
  const outputs = context.filter(isFunctionCallOutput).map((item) => item.call_id);
  const ids = new Set(context.filter(isFunctionCall).map((item) => item.call_id));
  return [...new Set([...ids, ...outputs])].flatMap((id) => {
    const count = outputs.filter((output) => output === id).length;
    return count === 1 && ids.has(id) ? [] : [`${id} has ${count} outputs, where 1 was expected.`];
  });
}

// Every text is its call's own: an output without it belongs to another call.
function unbound({ executions, ends }: Conducted["trace"], changed: boolean): readonly string[] {
  if (changed) return [];
  const records = ends.at(-1)?.result?.steps.flatMap(({ calls }) => calls) ?? [];
  return records.flatMap(({ callId, tool, arguments: supplied, outcome }) => {
    if (outcome.kind !== "ok" || outcome.output === toldOutput) return [];
    const ran = executions.findLast((each) => each.callId === callId && each.tool === tool);
    const output = JSON.stringify(outcome.output);
    const isOwn = [supplied, ran?.arguments].some((each) => each !== undefined && output.includes(String(each["text"])));
    return isOwn ? [] : [`the output of ${callId} (${tool}) is not its own: ${output}.`];
  });
}

// What the run tells of a step is what the model asked for in it.
function unrecorded({ ends }: Conducted["trace"]): readonly string[] {
  const { result } = ends.at(-1) ?? {};
  if (result === undefined || result.stopReason === "interrupted") return [];
  const asked = [...new Set(result.items.filter(isFunctionCall).map((item) => item.call_id))];
  const recorded = result.steps.flatMap(({ calls }) => calls.map(({ callId }) => callId));
  const difference = firstDifference(asked, recorded, "calls");
  return difference === undefined ? [] : [`\`result.steps\` does not hold the model's calls, each once and in order: ${difference}.`];
}

/** What has settled stays so. */
export async function repeats(lab: Lab): Promise<Findings> {
  const done = await lab.all();
  const again = done.flatMap(({ trace, place }) => {
    const once = new Set(["write", "lose", "ask", "refuse"]);
    const counts = Map.groupBy(trace.executions, ({ callId, tool }) => `${callId} (${tool})`);
    const twice = [...counts].filter(([, list]) => list.length > 1 && once.has(list[0]?.tool ?? ""));
    const refused = trace.requests.findIndex(({ status }) => status === 400);
    const resent = refused !== -1 && trace.requests.slice(refused + 1).some(({ text }) => text === trace.requests[refused]?.text);
    return [
      ...twice.map(([call, list]) => `${place}: ${call} ran ${list.length} times, where once was expected.`),
      ...(resent ? [`${place}: a request that was refused as wrong was sent again as it was.`] : []),
    ];
  });
  return { problems: [...remarksOf("repeats", done), ...again] };
}

/** What is changed in place. */
export async function frozen(lab: Lab): Promise<Findings> {
  return { problems: remarksOf("frozen", await lab.all()) };
}

/** The history that each end leaves. */
export async function history(lab: Lab): Promise<Findings> {
  const done = await lab.all();
  const problems = done.flatMap(({ trace, place }) => {
    const refusals = trace.requests.flatMap(({ refusal }) =>
      refusal === undefined ? [] : [`the API refused a request: ${refusal.message}`],
    );
    return [...refusals, ...(trace.historyProblem === undefined ? [] : [`of the history that was left: ${trace.historyProblem}`])].map(
      (problem) => `${place}: ${problem}`,
    );
  });
  return { problems };
}

/** What the run says that it cost. */
export async function usage(lab: Lab): Promise<Findings> {
  const done = await lab.all();
  const problems = done.flatMap(({ trace, place }) => {
    const told = trace.ends.at(-1)?.result?.usage;
    if (told === undefined) return [];
    const inputTokens = trace.paid * replyUsage.inputTokens;
    const difference = firstDifference(
      { requests: trace.requests.length, inputTokens },
      { requests: told.requests, inputTokens: told.inputTokens },
      "usage",
    );
    return difference === undefined ? [] : [`${place}: ${difference}.`];
  });
  return { problems };
}
