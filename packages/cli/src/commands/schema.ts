import type { Command } from "commander";
import { findDefinition } from "../find-definition.js";
import { jsonText } from "../emit/json-text.js";
import { formatProblem } from "../problem.js";
import { collect, projectFlag } from "./build.js";
import { counted, type Output } from "./output.js";

/** Adds `toolwright schema` to the program. */
export function addSchema(program: Command, output: Output, exit: (code: number) => void): void {
  program
    .command("schema")
    .description("Prints what the model sees of a tool or an output. Writes nothing.")
    .argument("<tool>", "its name for the model, the method, Class.method, or the class of an output")
    .option(...projectFlag, collect)
    .option("--json", "the definition as plain JSON, on one line")
    .action(async (name: string, { project, json = false }: { readonly project?: readonly string[]; readonly json?: boolean }) => {
      const found = await findDefinition(name, { project });
      if ("definition" in found) {
        const text = json ? JSON.stringify(found.definition) : `${found.owner}\n${jsonText(found.definition)}`;
        return output.out(text);
      }
      exit(1);
      if ("problems" in found) {
        for (const problem of found.problems) output.error(`${formatProblem(problem)}\n`);
        return output.error(`${counted(found.problems.length, "problem")}; there is no schema before they are solved.`);
      }
      output.error(found.message);
      output.error(`Fix: ${found.fix}`);
    });
}
