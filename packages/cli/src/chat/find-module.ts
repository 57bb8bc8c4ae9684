import { existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { ToolwrightError } from "@toolwright/core";

const usual = ["src/agent.ts", "src/create-agent.ts", "agent.ts", "src/agent.js", "agent.js", "agent.mjs", "dist/agent.js"];

/**
 * The module to talk to.
 *
 * @param given - as on the command line; undefined: one of the usual places.
 * @returns absolute.
 * @throws ToolwrightError `BUILD_CONFIG` when it is not there.
 */
export function findModule(given: string | undefined, folder: string): string {
  if (given !== undefined) {
    const path = resolve(folder, given);
    if (existsSync(path) && statSync(path).isFile()) return path;
    throw wrong(`There is no file ${given}.`, "Name a module that exports an agent: `toolwright chat src/agent.ts`.");
  }
  const found = usual.map((name) => join(folder, name)).find((path) => existsSync(path));
  if (found !== undefined) return found;
  throw wrong(
    `No module is named, and there is none of ${usual.join(", ")} here.`,
    "Name one that exports an agent: `toolwright chat src/main.ts`.",
  );
}

const wrong = (message: string, fix: string): ToolwrightError => new ToolwrightError("BUILD_CONFIG", message, { fix });
