/** What each check of the suites looks for. */
export const checkMeanings = {
  data: "`options` and `state` are plain JSON, and every run has a state of its own",
  explain: "an agent takes it, and `agent.explain()` tells of it",
  order: "the order that each middleware asks for is there, and no pair of them is known not to work",
  fresh: "each call of the factory gives a middleware of its own",
  "pass-through": "without a reason of its own it changes nothing: not requests, events, outcomes, items or the way a run ends",
  isolation: "two runs of one agent at once share nothing",
  abort: "an abort ends every wait at once, and nothing is left behind",
  approvals: "a call that waits for a person goes on waiting, and the run goes on from its JSON",
  answers: "each call has one output, under its own call_id",
  repeats: "what has settled is not called again",
  errors: "errors from further in, and what the run did until then, come through",
  events: "events are in order and complete",
  frozen: "nothing that it is given is changed in place",
  history: "the history of every end is accepted by the API in the next run",
  usage: "requests and tokens are counted once each",
  twice: "two of it work in one pipeline under two names",
} as const;

/** The name of a check. */
export type CheckName = keyof typeof checkMeanings;

/** What one check came to. */
export interface CheckResult {
  readonly name: CheckName;
  readonly ok: boolean;
  /** What was found, in words; of a check that holds, what it could look at where that is not plain. */
  readonly detail?: string | undefined;
}

/** What a suite came to. */
export interface ContractReport {
  readonly checks: readonly CheckResult[];
}

/** Thrown by a suite when checks fail. Its message names each, with what was expected and what was found. */
export class ContractError extends Error {
  override readonly name = "ContractError";
  readonly report: ContractReport;

  constructor(subject: string, report: ContractReport) {
    const failed = report.checks.filter(({ ok }) => !ok);
    const lines = failed.map(({ name, detail }) => `- ${name}: expected that ${checkMeanings[name]}.\n  ${detail ?? ""}`);
    super(`${subject} breaks its contract: ${failed.length} of ${report.checks.length} checks failed.\n${lines.join("\n")}`);
    this.report = report;
  }
}

/** What a check found to be wrong, one sentence each, or what it looked at when nothing is. */
export interface Findings {
  readonly problems: readonly string[];
  readonly note?: string | undefined;
}

const most = 5;

/** Findings as a result. */
export function resultOf(name: CheckName, { problems, note }: Findings): CheckResult {
  if (problems.length === 0) return { name, ok: true, ...(note !== undefined && { detail: note }) };
  const shown = problems.slice(0, most);
  const more = problems.length > most ? [`and ${problems.length - most} more`] : [];
  return { name, ok: false, detail: [...shown, ...more].join("\n  ") };
}
