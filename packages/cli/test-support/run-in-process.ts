import { runCommand } from "../src/cli.js";
import type { Exit } from "./run-command.js";

/** Runs the command in this process, from its sources. Folders are given absolutely: it shares the process's own. */
export async function runHere(...parameters: readonly string[]): Promise<Exit> {
  const [out, error]: [string[], string[]] = [[], []];
  const code = await runCommand(parameters, { out: (text) => void out.push(text), error: (text) => void error.push(text) });
  return { code, out: out.join("\n"), error: error.join("\n") };
}
