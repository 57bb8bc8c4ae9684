import { historyLines, whyNotCleared } from "./conversation.js";
import { plus, nothing, spentText, type Spent } from "./spent.js";
import type { NextMessage } from "./read-lines.js";
import { Turn, type TurnEnd, type TurnMeans } from "./turn.js";

/** What each command is for. */
export const commands = {
  "/help": "lists these commands",
  "/history": "shows what has been said, calls and outputs among it",
  "/usage": "shows what the chat has used so far",
  "/decide": "asks again about calls that wait",
  "/clear": "starts anew: the agent forgets what has been said",
  "/exit": "ends the chat; so do Ctrl-D and Ctrl-C twice",
} as const;
type CommandName = keyof typeof commands;

/** How a chat ended. */
export interface ChatEnd {
  /** Whether each message was answered. */
  readonly answered: boolean;
}

/** A conversation with an agent, a message at a time, until there are no more. */
export class Chat {
  readonly #means: TurnMeans;
  #history: TurnEnd["history"];
  #paused: TurnEnd["paused"];
  #total: Spent = nothing;
  #turns = 0;
  #unanswered = 0;

  constructor(means: TurnMeans) {
    this.#means = means;
  }

  async run(nextMessage: NextMessage): Promise<ChatEnd> {
    const { interrupts } = this.#means;
    for (;;) {
      const message = (await nextMessage())?.trim();
      if (message === undefined || message === "/exit") break;
      if (message === "") continue;
      if (/^\/\w+$/.test(message)) await this.#command(message);
      // A message that begins with a slash has two.
      else await this.#ask(message.startsWith("//") ? message.slice(1) : message);
      if (interrupts.left) break;
    }
    return { answered: this.#unanswered === 0 };
  }

  async #ask(message: string): Promise<void> {
    if (this.#paused !== undefined) this.#note("What waited is not waited for any more: the agent reads that it was skipped.");
    this.#turns += 1;
    this.#end(await Turn.ask(this.#means, message, this.#history));
  }

  #end({ answered, history, paused, spent }: TurnEnd): void {
    const { screen, interrupts } = this.#means;
    this.#history = history ?? this.#history;
    this.#paused = paused;
    if (!answered) this.#unanswered += 1;
    this.#total = plus(this.#total, spent);
    if (spent.usage.requests > 0) screen.note(spentText(spent), 0, "dim");
    if (paused !== undefined && !interrupts.left) this.#note("/decide asks about it again; with your next message it is skipped.");
  }

  async #command(given: string): Promise<void> {
    if (!Object.hasOwn(commands, given))
      return this.#note(`There is no ${given}: /help lists what there is. A message that begins with / is written with //.`);
    // Just looked up among them; /exit is not carried out here.
    switch (given as Exclude<CommandName, "/exit">) {
      case "/help":
        for (const [name, meaning] of Object.entries(commands)) this.#note(`${name.padEnd(9)} ${meaning}`);
        break;
      case "/history":
        for (const line of await historyLines(this.#history)) this.#note(line);
        break;
      case "/usage":
        this.#note(`${this.#turns} ${this.#turns === 1 ? "message" : "messages"}, ${spentText(this.#total)}`);
        break;
      case "/decide":
        await this.#decide();
        break;
      case "/clear":
        this.#clear();
    }
  }

  async #decide(): Promise<void> {
    const paused = this.#paused;
    if (paused === undefined) return this.#note("Nothing waits.");
    const { usage } = paused;
    this.#unanswered -= 1;
    const end = await Turn.goOn(this.#means, paused);
    // The usage of a resumed run has that of its first part in it.
    this.#end({ ...end, spent: { ...end.spent, usage: minus(end.spent.usage, usage) } });
  }

  #clear(): void {
    const why = whyNotCleared(this.#history);
    if (why !== undefined) return this.#note(why);
    this.#history = undefined;
    this.#paused = undefined;
    this.#note("The agent begins anew.");
  }

  #note(line: string): void {
    this.#means.screen.note(line, 0, "dim");
  }
}

function minus(usage: Spent["usage"], before: Spent["usage"]): Spent["usage"] {
  const { requests, inputTokens, cachedInputTokens, outputTokens, reasoningTokens, totalTokens } = usage;
  return {
    requests: requests - before.requests,
    inputTokens: inputTokens - before.inputTokens,
    cachedInputTokens: cachedInputTokens - before.cachedInputTokens,
    outputTokens: outputTokens - before.outputTokens,
    reasoningTokens: reasoningTokens - before.reasoningTokens,
    totalTokens: totalTokens - before.totalTokens,
  };
}
