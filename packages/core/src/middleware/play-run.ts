import type { ModelCall, ToolCall } from "../contracts/middleware.js";
import type { ModelResponse } from "../contracts/model.js";
import type { ToolOutcome } from "../contracts/outcome.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { firstDifference } from "./first-difference.js";
import { plainRequest } from "./recorded-request.js";
import type { ModelLine, Recording } from "./recording.js";
import type { ReplayState } from "./replay-state.js";

/** Answers a run from its recording. */
export class PlayedRun {
  readonly #recording: Recording;
  readonly #state: ReplayState;

  constructor(recording: Recording, state: ReplayState) {
    this.#recording = recording;
    this.#state = state;
  }

  /**
   * The next reply.
   *
   * @throws ToolwrightError `RUN_REPLAY` when there is none or the request is another one; whatever the request failed with
   * when it was recorded.
   */
  reply(call: ModelCall): ModelResponse {
    const { requests } = this.#recording;
    const index = this.#state.requests;
    const recorded = requests[index];
    if (recorded === undefined) throw this.#missing(`has no request ${index + 1}: it has ${requests.length}`, call.step);
    const place = firstDifference(recorded.request, plainRequest(call));
    if (place !== undefined) {
      throw this.#other(`request ${index + 1} of this run is not the one that was recorded: they differ at \`${place}\``, call.step, {
        request: index,
        place,
      });
    }
    this.#state.requests += 1;
    const { line } = recorded;
    if ("reply" in line) return line.reply;
    throw revived(line, requests[index + 1]?.line);
  }

  /** @throws ToolwrightError `RUN_REPLAY` when no such call was recorded. */
  outcome(call: ToolCall, place: string): ToolOutcome {
    const outcome = this.#recording.outcomes.get(place);
    if (outcome !== undefined) return outcome;
    throw this.#missing(`has no outcome for this call of ${call.name}`, call.step);
  }

  #missing(what: string, step: number): ToolwrightError {
    const { problem } = this.#recording;
    return this.#other(`the recording ${what}.${problem === "" ? "" : ` ${problem}`}`, step, {});
  }

  #other(what: string, step: number, details: object): ToolwrightError {
    const { key } = this.#state;
    const sentence = what.endsWith(".") ? what : `${what}.`;
    return new ToolwrightError("RUN_REPLAY", `replay() of ${key}, step ${step}: ${sentence}`, { details: { key, step, ...details } });
  }
}

function revived({ step, ...line }: ModelLine, after: ModelLine | undefined): ToolwrightError {
  const { code, message, fix, retryable, details, seen } = (line as Extract<ModelLine, { readonly error: unknown }>).error;
  // A stream that had told text was not repeated for its sake; nothing of it is told this time.
  const repeated = !seen || after?.step === step;
  return new ToolwrightError(code, message, { fix, retryable: retryable && repeated, details });
}
