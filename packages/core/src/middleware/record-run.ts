import type { ModelCall } from "../contracts/middleware.js";
import type { ModelResponse } from "../contracts/model.js";
import type { ToolOutcome } from "../contracts/outcome.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import type { RecordFile } from "./record-file.js";
import { plainRequest, type PlainRequest, requestChange } from "./recorded-request.js";
import type { RecordedError, RecordedReply, RecordLine } from "./recording.js";
import { replyItems } from "./reply-items.js";
import type { ReplayState } from "./replay-state.js";

type LineBody = RecordLine extends infer Line ? (Line extends RecordLine ? Omit<Line, "run" | "n"> : never) : never;

/** Writes a run down while it happens. */
export class RecordedRun {
  readonly #file: RecordFile;
  readonly #state: ReplayState;
  #before: PlainRequest | undefined;

  constructor(file: RecordFile, state: ReplayState) {
    this.#file = file;
    this.#state = state;
  }

  begin(): void {
    this.#state.run = crypto.randomUUID();
    this.#write({ type: "run", format: 1, key: this.#state.key });
  }

  async ask(
    call: ModelCall,
    next: (call: ModelCall) => Promise<ModelResponse>,
    seen: () => boolean,
    signal: AbortSignal,
  ): Promise<ModelResponse> {
    const request = plainRequest(call);
    let reply: ModelResponse;
    try {
      reply = await next(call);
    } catch (error) {
      // What an abort brings about is not what the model came to.
      if (ToolwrightError.is(error) && !signal.aborted) this.#reply(call.step, request, { error: recordedError(error, seen()) });
      throw error;
    }
    const { id, output, usage } = reply;
    if (replyItems(reply).some(({ type }) => type === "mcp_approval_request")) {
      const why = `The reply of step ${call.step} holds a hosted call that waits for approval, which only its own server can go on from.`;
      this.#write({ type: "unplayable", why });
      this.#state.unplayable = true;
      return reply;
    }
    this.#reply(call.step, request, { reply: { id, output, usage } });
    return reply;
  }

  outcome(call: string, name: string, outcome: ToolOutcome): void {
    this.#write({ type: "tool", call, name, outcome });
  }

  end(stopReason: string): void {
    this.#write({ type: "end", stopReason });
  }

  #reply(step: number, request: PlainRequest, reply: RecordedReply): void {
    this.#write({ type: "model", step, request: requestChange(request, this.#before), ...reply });
    this.#before = request;
  }

  #write(body: LineBody): void {
    const { run, lines: n, unplayable } = this.#state;
    if (unplayable) return;
    this.#file.append({ run, n, ...body } as RecordLine); // a line's body and its two counters
    this.#state.lines += 1;
  }
}

function recordedError({ code, message, fix, retryable, details }: ToolwrightError, seen: boolean): RecordedError {
  return { code, message: fix === undefined ? message : message.replace(`\nFix: ${fix}`, ""), fix, retryable, details, seen };
}
