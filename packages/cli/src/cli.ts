import { ToolwrightError } from "@toolwright/core";
import { Command, CommanderError } from "commander";
import { addBuild } from "./commands/build.js";
import { addCall } from "./commands/call.js";
import { addChat } from "./commands/chat.js";
import { addDiff } from "./commands/diff.js";
import { addDoctor } from "./commands/doctor.js";
import { addImport } from "./commands/import-openapi.js";
import { addInit } from "./commands/init.js";
import { addList } from "./commands/list.js";
import { addLock } from "./commands/lock.js";
import type { Output } from "./commands/output.js";
import { addSchema } from "./commands/schema.js";

const terminal: Output = {
  out: (text) => void process.stdout.write(`${text}\n`),
  error: (text) => void process.stderr.write(`${text}\n`),
};

/**
 * Runs the command `toolwright`.
 *
 * @param parameters - without the program's own name.
 * @returns the exit code: 0 when all is well, 1 for problems and stale files, 2 for wrong usage or configuration; `call` and `chat` have more.
 */
export async function runCommand(parameters: readonly string[], output: Output = terminal): Promise<number> {
  let code = 0;
  const exit = (given: number): void => {
    code = given;
  };
  const program = new Command("toolwright")
    .description("Turns the types of tool methods into strict JSON Schemas.")
    .exitOverride()
    .configureOutput({ writeOut: (text) => output.out(text.trimEnd()), writeErr: (text) => output.error(text.trimEnd()) });
  addBuild(program, output, exit);
  addSchema(program, output, exit);
  addInit(program, output, exit);
  addDoctor(program, output, exit);
  addImport(program, output, exit);
  addList(program, output, exit);
  addLock(program, output, exit);
  addDiff(program, output, exit);
  addCall(program, output, exit);
  addChat(program, output, exit);
  try {
    await program.parseAsync([...parameters], { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (!ToolwrightError.is(error, "BUILD_CONFIG")) throw error;
    output.error(error.message);
    return 2;
  }
  return code;
}
