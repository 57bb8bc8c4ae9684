import { ToolwrightError, visibleText } from "@toolwright/core";
import type { Output } from "../commands/output.js";

const codes = ["BUILD_CONFIG", "RUN_OPTIONS", "REGISTRY_NOT_INSTALLED", "REGISTRY_LOCK"];

/** Runs a command; what keeps it from starting is told, and the exit code is 2. */
export async function withUsageErrors(
  output: Output,
  json: boolean,
  exit: (code: number) => void,
  command: () => void | Promise<void>,
): Promise<void> {
  try {
    await command();
  } catch (error) {
    if (!ToolwrightError.is(error) || !codes.includes(error.code)) throw error;
    exit(2);
    showError(error, output, json);
  }
}

/** Tells of an error, whose message may hold texts of a package. */
export function showError({ code, message, fix }: ToolwrightError, output: Output, json: boolean): void {
  const [what = ""] = message.split("\nFix: ");
  if (json) return output.out(JSON.stringify({ version: 1, ok: false, error: { code, message: what, fix } }));
  output.error(visibleText(what));
  if (fix !== undefined) output.error(`Fix: ${visibleText(fix)}`);
}
