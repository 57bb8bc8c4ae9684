import type { Readable, Writable } from "node:stream";
import { Bill } from "./bill.js";
import { Chat, commands } from "./chat.js";
import { askPerson, type Decide, decideAlone } from "./decide.js";
import type { FoundAgent } from "./find-agent.js";
import { Interrupts } from "./interrupts.js";
import { RunPrinter } from "./print-run.js";
import { pipedMessages, typedMessages } from "./read-lines.js";
import { Screen } from "./screen.js";
import { oneLine } from "./shown.js";

/** What a chat ends with: all was answered; without a terminal, something was not; Ctrl-C ended it. */
const exits = { answered: 0, unanswered: 1, interrupted: 130 } as const;

/**
 * Talks to an agent, at this process's terminal or over its pipes.
 *
 * @returns the exit code.
 */
export async function chatWith(
  { agent, app, prices }: FoundAgent,
  { yes = false, full = false }: { readonly yes?: boolean; readonly full?: boolean },
): Promise<number> {
  const { stdin: input, stdout, stderr } = process;
  const terminal = input.isTTY && stderr.isTTY ? { input, output: stderr } : undefined;
  const screen = new Screen(stdout, stderr);
  using interrupts = new Interrupts(terminal === undefined, () => process.exit(exits.interrupted));
  const chat = new Chat({
    agent,
    app,
    screen,
    printer: new RunPrinter(screen, full),
    decide: deciderOf(terminal, yes, (line) => screen.note(line, 0, "yellow")),
    mayDecideAgain: terminal !== undefined && !yes,
    interrupts,
    bill: Bill.of(agent, prices),
  });
  if (terminal !== undefined) greet(agent, screen);
  const next =
    terminal === undefined
      ? pipedMessages(input, (line) => screen.note(line, 0, "bold"))
      : typedMessages(terminal, Object.keys(commands), interrupts);
  const { answered } = await chat.run(next);
  // Lines that nobody reads any more must not keep the process. A file has nothing to let go of.
  (input as Partial<typeof input>).unref?.();
  if (interrupts.left) return exits.interrupted;
  // A person has seen what was not answered, and went on.
  return answered || terminal !== undefined ? exits.answered : exits.unanswered;
}

function deciderOf(
  terminal: { readonly input: Readable; readonly output: Writable } | undefined,
  yes: boolean,
  tell: (line: string) => void,
): Decide {
  const alone = decideAlone(yes, tell);
  if (terminal === undefined) return alone;
  const person = askPerson(terminal, tell);
  return (waiting) => (yes && waiting.reason === "approval" ? alone(waiting) : person(waiting));
}

function greet(agent: FoundAgent["agent"], screen: Screen): void {
  // What an agent shows of itself when it is printed.
  const { name, model, tools } = agent.toJSON() as { readonly name?: string; readonly model: string; readonly tools: readonly string[] };
  const has = tools.length === 0 ? "no tools" : tools.map(oneLine).join(", ");
  screen.note(`${name === undefined ? "" : `${oneLine(name)}: `}${oneLine(model)}, ${has}. /help lists commands, /exit leaves.`, 0, "dim");
}
