import type { ModelCallOptions, ModelDelta, ModelResponse } from "../contracts/model.js";
import { isFunctionCall, replyText } from "../run/history-items.js";

type OnDelta = ModelCallOptions["onDelta"];

/** Keeps count of what was told of a response, so that its rest can be told when the whole is there. */
export class Told {
  #begun = false;
  #text = "";
  #refusal = "";
  readonly #started = new Set<string>();
  readonly #ended = new Set<string>();
  readonly #tell: OnDelta;

  constructor(tell: OnDelta) {
    this.#tell = tell;
  }

  /** Tells, and notes it. */
  readonly onDelta: OnDelta = (delta) => {
    switch (delta.type) {
      case "response-start":
        this.#begun = true;
        break;
      case "text-delta":
        this.#text += delta.text;
        break;
      case "refusal-delta":
        this.#refusal += delta.text;
        break;
      case "tool-input-start":
        this.#started.add(delta.callId);
        break;
      case "tool-input-end":
        this.#ended.add(delta.callId);
        break;
      default:
    }
    return this.#tell(delta);
  };

  /** Tells what was not told of a response that is there whole. */
  async rest({ id, output }: Pick<ModelResponse, "id" | "output">): Promise<void> {
    if (!this.#begun) await this.onDelta({ type: "response-start", responseId: id });
    const messages = output.filter(({ type }) => type === "message").map((item) => replyText([item]));
    await this.#more("text-delta", messages.map(({ text }) => text).join(""), this.#text);
    await this.#more("refusal-delta", messages.map(({ refusal }) => refusal ?? "").join(""), this.#refusal);
    for (const { call_id: callId, name: tool, arguments: text } of output.filter(isFunctionCall)) {
      if (!this.#started.has(callId)) await this.onDelta({ type: "tool-input-start", callId, tool });
      if (!this.#ended.has(callId)) await this.onDelta({ type: "tool-input-end", callId, arguments: text });
    }
  }

  // A text that does not go on where the told one ends is another one: nobody could make sense of its rest.
  async #more(type: "text-delta" | "refusal-delta", whole: string, told: string): Promise<void> {
    if (whole.length > told.length && whole.startsWith(told))
      await this.onDelta({ type, text: whole.slice(told.length) } satisfies ModelDelta);
  }
}
