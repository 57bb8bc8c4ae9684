import type { Readable, Writable } from "node:stream";
import { createInterface } from "node:readline/promises";

/** A person to ask. */
export interface Asking {
  readonly input: Readable;
  readonly output: Writable;
}

/** The person at this process's terminal; undefined where nobody would answer. The question is no part of the output. */
export function ownAsking(): Asking | undefined {
  const { stdin: input, stderr: output, env } = process;
  return input.isTTY && output.isTTY && env["CI"] === undefined ? { input, output } : undefined;
}

/** Whether a person says yes. Anything else, the end of the input included, is a no. */
export async function confirm({ input, output }: Asking, question: string): Promise<boolean> {
  const lines = createInterface({ input, output });
  const ended = new Promise<string>((resolve) => {
    lines.once("close", () => resolve(""));
  });
  try {
    const answer = await Promise.race([lines.question(`${question} [y/N] `), ended]);
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    lines.close();
  }
}
