import type { RunEvent, ToolOutcome } from "@toolwright/core";
import type { Screen } from "./screen.js";
import { jsonLine, oneLine, prose, ProseStream, shortened } from "./shown.js";

type EventOf<Type extends RunEvent["type"]> = Extract<RunEvent, { type: Type }>;

/** Shows a run as it happens; runs inside of it, of agents used as tools, further to the right. */
export class RunPrinter {
  readonly #screen: Screen;
  readonly #longest: number;
  readonly #answer = new ProseStream();
  /** Lines that have not come to their end, of reasoning and of inner runs: several may talk at once. */
  readonly #lines = new Map<string, string>();
  /** What the model wrote as the arguments of calls that have not started. */
  readonly #written = new Map<string, string>();

  /** @param full - arguments and outputs are not shortened. */
  constructor(screen: Screen, full: boolean) {
    this.#screen = screen;
    this.#longest = full ? Number.POSITIVE_INFINITY : 500;
  }

  print(event: RunEvent, depth = 0): void {
    if (event.type === "agent-event") return this.print(event.event, depth + 1);
    if (event.type === "text-delta") return this.#text(event, depth);
    if (event.type === "reasoning-delta") return this.#line(event, depth, "~ ");
    this.#endLines(event.runId, depth);
    this.#other(event, depth);
  }

  #other(event: RunEvent, depth: number): void {
    const note = (line: string, style?: Parameters<Screen["note"]>[2]): void => this.#screen.note(line, depth, style);
    switch (event.type) {
      case "tool-input-end":
        this.#written.set(keyOf(event), event.arguments);
        break;
      case "tool-start":
        this.#written.delete(keyOf(event));
        note(`→ ${oneLine(event.tool)} ${this.#short(jsonLine(event.arguments ?? {}))}`, "cyan");
        break;
      case "tool-attempt":
        if (event.attempt > 1) note(`↻ ${oneLine(event.tool)}, attempt ${event.attempt}`, "yellow");
        break;
      case "tool-progress":
        note(`… ${oneLine(event.tool)}: ${this.#short(typeof event.update === "string" ? oneLine(event.update) : jsonLine(event.update))}`);
        break;
      case "tool-outcome":
        this.#outcome(event, depth);
        break;
      case "handoff":
        note(`⇒ ${oneLine(event.from ?? "the agent")} hands over to ${oneLine(event.to ?? "another agent")}`, "magenta");
        break;
      case "step-restart":
        note("the text of this step is void: the model is asked again", "yellow");
        break;
      case "step-end":
        if (depth === 0) this.#screen.endText();
        break;
      default:
    }
  }

  #text(event: EventOf<"text-delta">, depth: number): void {
    if (depth === 0) this.#screen.text(this.#answer.push(event.text));
    else this.#line(event, depth, "| ");
  }

  #line(event: EventOf<"text-delta" | "reasoning-delta">, depth: number, mark: string): void {
    const key = `${mark}${event.runId}`;
    const lines = `${this.#lines.get(key) ?? ""}${event.text}`.split("\n");
    this.#lines.set(key, lines.pop() as string);
    for (const line of lines) this.#screen.note(`${mark}${prose(line)}`, depth, "dim");
  }

  #endLines(runId: string, depth: number): void {
    if (depth === 0) this.#screen.text(this.#answer.end());
    for (const mark of ["~ ", "| "]) {
      const rest = this.#lines.get(`${mark}${runId}`);
      if (rest !== undefined && rest !== "") this.#screen.note(`${mark}${prose(rest)}`, depth, "dim");
      this.#lines.delete(`${mark}${runId}`);
    }
  }

  #outcome(event: EventOf<"tool-outcome">, depth: number): void {
    const { tool, outcome, durationMs } = event;
    const written = this.#written.get(keyOf(event));
    this.#written.delete(keyOf(event));
    // A call that never ran has not been shown yet.
    const call = written === undefined ? "" : ` ${this.#short(oneLine(written))}`;
    const time = written === undefined ? ` (${duration(durationMs)})` : "";
    const line = `← ${oneLine(tool)}${call} ${outcome.kind}${time}: ${this.#short(oneLine(outcomeText(outcome)))}`;
    this.#screen.note(line, depth, styles[outcome.kind]);
  }

  #short(text: string): string {
    return shortened(text, this.#longest);
  }
}

// Servers reuse call ids, and runs inside have their own.
const keyOf = ({ runId, step, callId }: EventOf<"tool-input-end" | "tool-start" | "tool-outcome">): string => `${runId} ${step} ${callId}`;

const styles = {
  ok: "green",
  invalid: "red",
  failed: "red",
  unknown: "red",
  denied: "yellow",
  skipped: "yellow",
  interrupted: "yellow",
} as const satisfies Record<ToolOutcome["kind"], string>;

const duration = (milliseconds: number): string =>
  milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(1)} s`;

function outcomeText(outcome: ToolOutcome): string {
  switch (outcome.kind) {
    case "ok":
      if (typeof outcome.output === "string") return outcome.output;
      return outcome.output.map((part) => (part.type === "input_text" ? part.text : `[${part.type}]`)).join(" ");
    case "invalid":
    case "failed":
    case "unknown": {
      const { code, message, issues = [] } = outcome.error;
      const details = issues.map(({ path, expected, received }) => `${path || "arguments"}: expected ${expected}, received ${received}`);
      return [`${code}: ${message}`, ...details].join("; ");
    }
    case "denied":
    case "skipped":
    case "interrupted":
      return outcome.reason;
  }
}
