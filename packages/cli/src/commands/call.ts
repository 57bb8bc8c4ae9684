import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { type CallRecord, type ToolInfo, type ToolLog, type ToolOutcome, ToolwrightError, visibleText } from "@toolwright/core";
import type { Command } from "commander";
import type { Approval, CallMade } from "../packages/call-tool.js";
import { type Asking, confirm, ownAsking } from "../packages/confirm.js";
import type { Callable } from "../packages/find-callable.js";
import { showError, withUsageErrors } from "../packages/usage-errors.js";
import type { Output } from "./output.js";

interface CallFlags {
  readonly folder: string;
  readonly tools?: string;
  readonly config?: string;
  readonly app?: string;
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** What the command ends with: the call succeeded; it did not; it could not be made; it needs a person; nobody knows what it did. */
const exits = { ok: 0, failed: 1, usage: 2, approval: 3, unknown: 4 } as const;

/**
 * Adds `toolwright call` to the program.
 *
 * @param asking - whom to ask for approval; undefined: nobody, and `--yes` is needed where a tool asks for it.
 */
export function addCall(program: Command, output: Output, exit: (code: number) => void, asking: Asking | undefined = ownAsking()): void {
  program
    .command("call")
    .description("Runs one tool as an agent would: its checks, its approval, its time limit; prints what the model would read.")
    .argument("<tool>", "its name, as the model would call it")
    .argument("[arguments]", "a JSON object", "{}")
    .option("--folder <path>", "of the app (default: this one)", ".")
    .option("--tools <module>", "a compiled module whose default export is the tools of your agent")
    .option("--config <file>", "JSON with the package's configuration, beside what the environment has")
    .option("--app <json>", "what the tool's context has as `app`")
    .option("-y, --yes", "approve where the tool asks for it")
    .option("--json", "one JSON object on one line")
    .action(async (name: string, argumentsText: string, flags: CallFlags) => {
      const { json = false } = flags;
      await withUsageErrors(output, json, exit, async () => {
        try {
          const made = await makeCall(name, argumentsText, flags, output, asking);
          exit(exitOf(made));
          if (json) output.out(JSON.stringify({ version: 1, ok: made.record.outcome.kind === "ok", ...plain(made.record) }));
          else tell(made, output);
        } catch (error) {
          // The registry's, such as a configuration that is missing, or a package that is not the approved one.
          if (!ToolwrightError.is(error) || !/^(REGISTRY|TOOL)_/.test(error.code)) throw error;
          exit(exits.usage);
          showError(error, output, json);
        }
      });
    });
}

async function makeCall(
  name: string,
  argumentsText: string,
  flags: CallFlags,
  output: Output,
  asking: Asking | undefined,
): Promise<CallMade> {
  const { yes = false, json = false } = flags;
  const app: unknown = flags.app === undefined ? undefined : parsed(flags.app, "--app");
  const callable = await found(name, flags);
  const stop = new AbortController();
  const abort = (): void => stop.abort();
  process.once("SIGINT", abort);
  const approve = async (checked: object): Promise<Approval> => {
    if (yes) return "yes";
    if (asking === undefined) return "nobody";
    return (await confirm(asking, `Run ${name} with ${visibleText(JSON.stringify(checked))}?`)) ? "yes" : "no";
  };
  try {
    const { callTool } = await import("../packages/call-tool.js");
    const { tools } = callable;
    const onTool = (info: ToolInfo): void => (json ? undefined : output.error(toolLine(info)));
    return await callTool({ tools, name, argumentsText, app, signal: stop.signal, log: logTo(output), onTool, approve });
  } finally {
    process.off("SIGINT", abort);
    await callable.dispose();
  }
}

async function found(name: string, { folder, tools, config }: CallFlags): Promise<Callable> {
  if (tools !== undefined) {
    if (config !== undefined)
      throw wrong("--config is for tool packages, and --tools names tools that are made already.", "Leave one of them out.");
    const { callableIn } = await import("../packages/tools-module.js");
    return callableIn(resolve(tools), name);
  }
  const { findCallable } = await import("../packages/find-callable.js");
  return findCallable(name, { folder: resolve(folder), config: config === undefined ? undefined : configIn(config) });
}

function configIn(path: string): object {
  let text: string;
  try {
    text = readFileSync(resolve(path), "utf8");
  } catch (cause) {
    throw wrong(`${path} cannot be read.`, "Name a file with a JSON object.", cause);
  }
  const config = parsed(text, path);
  if (typeof config === "object" && config !== null && !Array.isArray(config)) return config;
  throw wrong(`${path} has no JSON object.`, 'Write it like { "path": "stock.db" }.');
}

function parsed(text: string, place: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    // The text may be a secret.
    throw wrong(`${place} is not JSON.`, "Correct it; in a shell, put it between single quotes.", cause);
  }
}

const wrong = (message: string, fix: string, cause?: unknown): ToolwrightError =>
  new ToolwrightError("RUN_OPTIONS", message, { fix, cause });

const toolLine = ({ name, identity, effect, effectDeclared, timeoutMs }: ToolInfo): string =>
  `${name}: ${effectDeclared ? effect : `${effect}, since no effect is declared`}; ${identity}; at most ${timeoutMs} ms`;

function logTo(output: Output): ToolLog {
  const line = (fields: object, message = ""): void => output.error(`${message} ${JSON.stringify(fields)}`.trim());
  return { debug: () => {}, info: line, warn: line, error: line };
}

function exitOf({ record: { outcome }, needsApproval }: CallMade): number {
  if (needsApproval || outcome.kind === "denied" || outcome.kind === "interrupted") return exits.approval;
  return outcome.kind === "ok" ? exits.ok : outcome.kind === "unknown" ? exits.unknown : exits.failed;
}

/** What the model would read goes to the output, all else to the errors. */
function tell({ record: { outcome, attempts, durationMs }, needsApproval }: CallMade, output: Output): void {
  if (needsApproval) {
    output.error("The tool asks for a person's approval, and there is nobody to ask. It did not run.");
    return output.error("Fix: run the command at a terminal, or approve with --yes.");
  }
  if (outcome.kind === "ok") output.out(outputText(outcome.output));
  else output.error(`${outcome.kind}: ${reasonOf(outcome)}`);
  const cause = causeOf(outcome);
  if (cause !== undefined) output.error(`cause, which the model does not read: ${cause}`);
  if (attempts > 0) output.error(`${outcome.kind} after ${Math.round(durationMs)} ms`);
}

/** A text as it is: what a terminal would make of its control characters is not shown, but done to no one else's text either. */
function outputText(shown: string | readonly object[]): string {
  if (typeof shown !== "string") return JSON.stringify(shown);
  return shown.split("\n").map(visibleLine).join("\n");
}

const visibleLine = (line: string): string => visibleText(line).replaceAll("\\\\", "\\").replaceAll("\\t", "\t");

function reasonOf(outcome: ToolOutcome): string {
  if ("error" in outcome) {
    const { code, message, issues = [] } = outcome.error;
    const list = issues.map(
      ({ path, expected, received }) => `\n  ${path === "" ? "(arguments)" : path}: expected ${expected}, got ${received}`,
    );
    return visibleText(`${message} (${code})`) + list.map((line) => `\n${visibleText(line.slice(1))}`).join("");
  }
  return "reason" in outcome ? visibleText(String(outcome.reason)) : "";
}

function causeOf(outcome: ToolOutcome): string | undefined {
  const cause = "cause" in outcome ? outcome.cause : undefined;
  if (cause === undefined) return undefined;
  return visibleText(cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause));
}

const plain = ({ callId: _, ...record }: CallRecord): object => {
  const { outcome } = record;
  // Of an error only what the model reads.
  const { cause: __, ...shown } = { cause: undefined, ...outcome };
  return { ...record, outcome: shown };
};
