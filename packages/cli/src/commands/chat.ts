import { relative } from "node:path";
import { ToolwrightError } from "@toolwright/core";
import type { Command } from "commander";
import type { FoundAgent, Prices } from "../chat/find-agent.js";
import type { Output } from "./output.js";

interface ChatFlags {
  readonly agent?: string;
  readonly app?: string;
  readonly prices?: string;
  readonly yes?: boolean;
  readonly full?: boolean;
}

/** Adds `toolwright chat` to the program. */
export function addChat(program: Command, output: Output, exit: (code: number) => void): void {
  program
    .command("chat")
    .description("Talks to an agent of your project: shows its steps as they happen, and asks for approvals.")
    .argument("[module]", "that exports the agent, JavaScript or TypeScript (default: src/agent.ts and the like)")
    .option("-a, --agent <name>", "which one, if there are several: the name of the export, or of the agent")
    .option("--app <json>", "what the tools' context has as `app`")
    .option("--prices <json>", "prices by the model's name, as `usageCost` takes them, to show what it costs")
    .option("-y, --yes", "approve what asks for approval")
    .option("--full", "arguments and outputs are not shortened")
    .action(async (module: string | undefined, flags: ChatFlags) => {
      const found = await agentOf(module, flags, output);
      const { chatWith } = await import("../chat/chat-with.js");
      const code = await chatWith(found, flags);
      exit(code);
      // What the project has open, such as a database, would keep the process; what is being written may still end.
      setTimeout(() => process.exit(code), 1000).unref();
    });
}

async function agentOf(module: string | undefined, flags: ChatFlags, output: Output): Promise<FoundAgent> {
  const [{ findModule }, { loadModule }, { findAgent }] = await Promise.all([
    import("../chat/find-module.js"),
    import("../chat/load-module.js"),
    import("../chat/find-agent.js"),
  ]);
  const app: unknown = jsonOf(flags.app, "--app");
  const prices = pricesOf(jsonOf(flags.prices, "--prices"));
  const path = findModule(module, process.cwd());
  const loaded = await loadModule(path);
  if (loaded.compiled !== undefined) output.error(`Running ${shortPath(loaded.compiled)}, as it was compiled.`);
  const found = await findAgent(loaded.exports, flags.agent, shortPath(path));
  return { ...found, ...(app !== undefined && { app }), ...(prices !== undefined && { prices }) };
}

function jsonOf(text: string | undefined, flag: string): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new ToolwrightError("BUILD_CONFIG", `What ${flag} gives is not JSON.`, {
      cause,
      fix: `Write it like \`${flag} '{"user":"ada"}'\`.`,
    });
  }
}

function pricesOf(value: unknown): Prices | undefined {
  if (value === undefined) return undefined;
  const isPrice = (price: unknown): boolean =>
    typeof price === "object" &&
    price !== null &&
    ["inputPerMillion", "outputPerMillion"].every((key) => typeof (price as Record<string, unknown>)[key] === "number");
  // Checked as far as it is read.
  if (typeof value === "object" && value !== null && Object.values(value).every(isPrice)) return value as Prices;
  throw new ToolwrightError("BUILD_CONFIG", "What --prices gives is no prices by model.", {
    fix: `Write it like \`--prices '{"gpt-5.4-mini":{"inputPerMillion":0.25,"outputPerMillion":2}}'\`.`,
  });
}

const shortPath = (path: string): string => {
  const fromHere = relative(process.cwd(), path);
  return fromHere.startsWith("..") ? path : fromHere.replaceAll("\\", "/");
};
