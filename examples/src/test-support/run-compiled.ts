import { type ChildProcess, spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

/** What a program came to. */
export interface Finished {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** What the examples say when they have no API key. */
export const standInLine = "No OPENAI_API_KEY: using the stand-in model, a small rule-based planner (no language model).\n";

/** Runs a compiled example to its end, with no variables but these. */
export function runCompiled(example: string, questions: readonly string[] = [], env: Record<string, string> = {}): Promise<Finished> {
  return startCompiled(example, questions, env).finished;
}

/** Starts a compiled example. */
export function startCompiled(
  example: string,
  questions: readonly string[] = [],
  env: Record<string, string> = {},
): { readonly child: ChildProcess; readonly finished: Promise<Finished> } {
  const main = fileURLToPath(new URL(`../../dist/${example}/main.js`, import.meta.url));
  const child = spawn(process.execPath, [main, ...questions], { env, timeout: 15_000, stdio: ["ignore", "pipe", "pipe"] });
  const exit = new Promise<number | null>((resolve) => child.once("close", resolve));
  const finished = Promise.all([text(child.stdout), text(child.stderr), exit]).then(([stdout, stderr, exitCode]) => ({
    exitCode,
    stdout,
    stderr,
  }));
  return { child, finished };
}
