import type { JsonObject } from "../contracts/json.js";
import type { DefinedOutput, OutputFormat } from "../contracts/output.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import { argumentChecker } from "../schema/argument-checker.js";
import { strictFromJsonSchema } from "../schema/strict-from-json-schema.js";
import type { StandardJsonSchema } from "./define-tool.js";
import { outputRecord, type OutputFromGeneratedModule } from "./output-table.js";
import { isToolName } from "./tool-info.js";

/** What `defineOutput` gives a run as its output, as far as the schema's type tells. */
export type OutputOf<Schema> =
  Schema extends StandardJsonSchema<infer Output> ? (unknown extends Output ? Record<string, unknown> : Output) : Record<string, unknown>;

/** The form of an answer without a class. */
export interface DefineOutputOptions<Schema> {
  /** What the API calls the format: up to 64 letters, digits, _ and -. */
  readonly name: string;
  /** What the answer is for. */
  readonly description?: string | undefined;
  /** Plain JSON Schema of an object, or anything with a Standard JSON Schema interface. Made strict, or refused. */
  readonly schema: Schema;
}

/** What an agent's `output` may be: a class with `@Output` from the generated module, or what `defineOutput` gave. */
export type AgentOutput<Output> = ((new (...parameters: never[]) => Output) & OutputFromGeneratedModule) | DefinedOutput<Output>;

/**
 * Defines the form of an answer without a class.
 *
 * @example
 * const Verdict = defineOutput({ name: "verdict", schema: z.object({ fair: z.boolean(), why: z.string() }) });
 * const { output } = await new Agent({ model, output: Verdict }).run("Is this contract fair?");
 * @throws ToolwrightError `TOOL_DEFINITION` when the schema cannot be made strict, `RUN_OPTIONS` for a wrong name.
 */
export function defineOutput<const Schema extends object>(options: DefineOutputOptions<Schema>): DefinedOutput<OutputOf<Schema>> {
  const { name, description } = options;
  if (!isToolName(name)) {
    throw new ToolwrightError("RUN_OPTIONS", `An output has the name ${typeof name === "string" ? JSON.stringify(name) : typeof name}.`, {
      fix: "Use up to 64 letters, digits, _ and -.",
    });
  }
  if (description !== undefined && typeof description !== "string") {
    throw new ToolwrightError("RUN_OPTIONS", `The output ${name} has a description that is a ${typeof description}.`, {
      fix: "Use a text.",
    });
  }
  const { schema, plan, refine } = strictFromJsonSchema(options.schema, name, `The schema of the output "${name}"`);
  const checker = argumentChecker(schema, plan, {}, `the output "${name}"`);
  const format: OutputFormat = {
    name,
    description,
    schema,
    async decode(value) {
      const checked = checker.check(value);
      if (!checked.ok) return checked;
      const decoded = await checker.decode(checked.arguments);
      return decoded.ok && refine !== undefined ? refine(decoded.value) : decoded;
    },
  };
  return { "~toolwright.format": format };
}

/**
 * The format of an agent's `output`.
 *
 * @throws ToolwrightError `RUN_OPTIONS` for something that is none.
 */
export function outputFormat(output: unknown): OutputFormat {
  if (typeof output === "object" && output !== null && "~toolwright.format" in output) {
    return (output as DefinedOutput)["~toolwright.format"];
  }
  const record = typeof output === "function" ? outputRecord(output) : undefined;
  if (record === undefined) throw noOutput(output);
  const { manifest, classes } = record;
  const checker = argumentChecker(manifest.schema, manifest.decode, classes, `the output "${manifest.name}"`);
  return {
    name: manifest.name,
    description: manifest.description,
    schema: manifest.schema,
    decode(value) {
      const checked = checker.check(value);
      return checked.ok ? checker.decode(checked.arguments as JsonObject) : checked;
    },
  };
}

function noOutput(output: unknown): ToolwrightError {
  if (typeof output !== "function") {
    return new ToolwrightError("RUN_OPTIONS", `\`output\` is ${output === null ? "null" : `a value of type ${typeof output}`}.`, {
      fix: "Pass a class with `@Output()` from `./toolwright.generated.js`, or `defineOutput({ name, schema })`.",
    });
  }
  return new ToolwrightError(
    "RUN_OPTIONS",
    `The class ${output.name} in \`output\` is not registered: it was not built, or it was imported from its own source file.`,
    {
      fix: `Write \`@Output()\` above ${output.name}, run \`npx toolwright build\`, and import it from \`./toolwright.generated.js\`.`,
    },
  );
}
