import { outputOptions } from "../authoring/output.js";
import type { DecodePlan, ObjectSchema } from "../contracts/schema.js";
import { ToolwrightError } from "../errors/toolwright-error.js";
import type { AnyClass } from "./toolkit-table.js";

/** A class with `@Output` as `toolwright build` wrote it: the form of an answer, the very schema that is sent. */
export interface OutputManifest {
  /** Version of this form. */
  readonly format: 1;
  readonly className: string;
  /** What the API calls the format. */
  readonly name: string;
  readonly description?: string | undefined;
  readonly schema: ObjectSchema;
  /** How an answer becomes an instance. Its root names the class itself in `dto`. */
  readonly decode: DecodePlan;
}

/** What is known of a class that a generated module registered as an output. */
export interface OutputRecord {
  readonly manifest: OutputManifest;
  /** Classes by the names that the decode plan uses, the output's own among them. */
  readonly classes: Readonly<Record<string, AnyClass>>;
}

/** What an output class becomes in the generated module: the same class, which alone is accepted as an agent's `output`. */
export interface OutputFromGeneratedModule {
  readonly "~toolwright.output": true;
}

/** An output class as the generated module exports it. */
export type RegisteredOutput<Class extends AnyClass> = Class & OutputFromGeneratedModule;

// One table per process and version of its form, so that two copies of this package see the same classes.
const holder = globalThis as { [name: symbol]: WeakMap<object, OutputRecord> | undefined };
const table = (holder[Symbol.for("toolwright.outputs.0")] ??= new WeakMap());

/**
 * Registers an output class with what `toolwright build` found out about it. Called by generated modules only.
 *
 * @throws ToolwrightError `BUILD_STALE` when the class no longer fits: `@Output` is gone, or says something else.
 */
export function registerOutput<Class extends AnyClass>(
  output: Class,
  manifest: OutputManifest,
  references: { readonly classes: Readonly<Record<string, AnyClass>> },
): RegisteredOutput<Class> {
  const stale = difference(output, manifest);
  if (stale !== undefined) {
    throw new ToolwrightError("BUILD_STALE", `The generated module does not fit the class ${manifest.className}: ${stale}.`, {
      details: { className: manifest.className },
    });
  }
  table.set(output, { manifest, classes: references.classes });
  // The value is the class itself; only its type gains the mark that an Agent asks for.
  return output as RegisteredOutput<Class>;
}

/** The record of a class, or undefined when that very class was never built as an output. */
export function outputRecord(output: object): OutputRecord | undefined {
  return table.get(output);
}

function difference(output: AnyClass, manifest: OutputManifest): string | undefined {
  const options = outputOptions(output);
  if (options === undefined) return "it was built as an output but has no @Output any more";
  if ((options.name ?? manifest.className) !== manifest.name) return "the option `name` of @Output has changed";
  // Without one, the doc comment is the description, which is not there at run time.
  const isOther = options.description !== undefined && options.description.trim() !== manifest.description;
  return isOther ? "the option `description` of @Output has changed" : undefined;
}
