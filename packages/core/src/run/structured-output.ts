import type { ModelSettings } from "../contracts/model.js";
import type { DecodedOutput, OutputFormat } from "../contracts/output.js";
import type { Issue } from "../contracts/schema.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { parseArguments } from "../schema/parse-arguments.js";

/** The settings of an agent with its output's format in them: frozen, so that the format is serialised once. */
export function settingsWithOutput(settings: ModelSettings, output: OutputFormat | undefined): ModelSettings {
  if (output === undefined) return settings;
  if (settings.text?.format !== undefined) {
    throw new ToolwrightError("RUN_OPTIONS", "The agent has both an `output` and `settings.text.format`.", { fix: "Pass one of them." });
  }
  const { name, description, schema } = output;
  const format = { type: "json_schema", name, ...(description !== undefined && { description }), schema, strict: true };
  return { ...settings, text: Object.freeze({ ...settings.text, format }) };
}

/** An answer's text as the output, or what is wrong with it. */
export async function readOutput(output: OutputFormat, text: string): Promise<DecodedOutput> {
  if (text.trim() === "") return { ok: false, issues: [{ path: "", expected: "JSON text", received: "no text" }] };
  const parsed = parseArguments(text);
  return parsed.ok ? output.decode(parsed.value) : parsed;
}

/** What the model is told of an answer that does not fit, so that it gives a better one. */
export function repairText(issues: readonly Issue[]): string {
  return `Your answer does not fit the format that was asked for: ${issueText(issues)}. Give the whole answer again, corrected.`;
}

/** The error of a run whose model did not come to an answer that fits. */
export function outputError(output: OutputFormat, issues: readonly Issue[]): ToolwrightError {
  return new ToolwrightError("RUN_OUTPUT", `The answer does not fit the output "${output.name}": ${issueText(issues)}.`, {
    details: { output: output.name, issues },
  });
}

const issueText = (issues: readonly Issue[]): string =>
  issues.map(({ path, expected, received }) => `${path || "the answer"}: expected ${expected}, received ${received}`).join("; ");
