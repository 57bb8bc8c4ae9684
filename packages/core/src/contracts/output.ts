import type { Issue, ObjectSchema } from "./schema.js";

/** An answer after checking: decoded, or what is wrong with it. */
export type DecodedOutput = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly issues: readonly Issue[] };

/** The form of an agent's final answer. */
export interface OutputFormat {
  /** What the API calls the format. */
  readonly name: string;
  readonly description: string | undefined;
  /** The very object that is sent, and that answers are checked against. */
  readonly schema: ObjectSchema;
  /** Checks and decodes an answer that was read as JSON. */
  decode(value: unknown): DecodedOutput | Promise<DecodedOutput>;
}

/** An output made by `defineOutput`. */
export interface DefinedOutput<Output = unknown> {
  readonly "~toolwright.format": OutputFormat;
  /** Carries the type; never set. */
  readonly "~toolwright.type"?: Output | undefined;
}
