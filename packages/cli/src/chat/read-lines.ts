import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import type { Interrupts } from "./interrupts.js";
import { oneLine } from "./shown.js";

/** Gives what a person says, a message at a time; undefined at the end. */
export type NextMessage = () => Promise<string | undefined>;

/** Each line of a stream that is no terminal is a message. */
export function pipedMessages(input: Readable, tell: (line: string) => void): NextMessage {
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })[Symbol.asyncIterator]();
  return async () => {
    const next = await lines.next();
    if (next.done === true) return undefined;
    if (next.value.trim() !== "") tell(`> ${oneLine(next.value)}`);
    return next.value;
  };
}

/** Asks at a terminal, with the messages before at the arrow keys. What is pasted at once is one message. */
export function typedMessages(
  terminal: { readonly input: Readable; readonly output: Writable },
  commands: readonly string[],
  interrupts: Interrupts,
): NextMessage {
  let history: string[] = [];
  let begun = "";
  const complete = (line: string): [string[], string] => [
    line.startsWith("/") ? commands.filter((each) => each.startsWith(line)) : [],
    line,
  ];
  return async () => {
    // One reader for each message: prompts for decisions read the same terminal in between.
    const reader = createInterface({
      ...terminal,
      terminal: true,
      prompt: "> ",
      history,
      completer: complete,
      removeHistoryDuplicates: true,
    });
    reader.on("history", (entries: string[]) => (history = [...entries]));
    const lines: string[] = [];
    try {
      await new Promise<void>((resolve) => {
        reader.on("line", (line) => {
          lines.push(line);
          interrupts.reset();
          resolve();
        });
        reader.on("close", resolve);
        reader.on("SIGINT", () => {
          const leaves = interrupts.press(reader.line === "");
          terminal.output.write("\n");
          if (leaves) return reader.close();
          reader.write(null, { ctrl: true, name: "e" });
          reader.write(null, { ctrl: true, name: "u" });
          terminal.output.write("  Ctrl-C once more leaves, and so does /exit.\n");
          return reader.prompt();
        });
        reader.prompt();
        if (begun !== "") reader.write(begun);
      });
      if (lines.length === 0) return undefined;
      await wait(10);
      begun = reader.line;
      return lines.join("\n");
    } finally {
      reader.close();
    }
  };
}
