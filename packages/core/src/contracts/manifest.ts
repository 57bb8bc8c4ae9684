import type { DecodePlan, ObjectSchema } from "./schema.js";
import type { ToolEffect } from "./tool.js";

/** One positional parameter of a method: an argument by name, all arguments as one object, the context, or (for `compensate`) the recorded outcome. */
export type CallSlot =
  | { readonly argument: string }
  | { readonly arguments: true }
  | { readonly context: true }
  | { readonly outcome: true };

/** A method that the kernel calls for a tool: its name and how its parameters are filled. */
export interface MethodReference {
  readonly method: string;
  readonly call: readonly CallSlot[];
}

/** A tool as `toolwright build` wrote it: every option and the schema, the very object that is sent. */
export interface ToolManifest extends MethodReference {
  /** Model-visible name, the toolkit's prefix included. */
  readonly name: string;
  readonly description: string;
  readonly parameters: ObjectSchema;
  /** Left out when nothing needs decoding. */
  readonly decode?: DecodePlan | undefined;
  /** Left out when the author declared none: then scheduled as a write. */
  readonly effect?: ToolEffect | undefined;
  readonly resource?: readonly string[] | undefined;
  readonly timeoutMs?: number | undefined;
  readonly idempotent?: boolean | undefined;
  readonly approval?: true | MethodReference | undefined;
  readonly query?: MethodReference | undefined;
  readonly compensate?: MethodReference | undefined;
  readonly maxCalls?: number | undefined;
  readonly echo?: readonly string[] | undefined;
  readonly tags?: readonly string[] | undefined;
}

/** One class of tools. */
export interface ToolkitManifest {
  /** Version of this form. */
  readonly format: 1;
  readonly className: string;
  /** npm name of the package that holds the class; left out in an app. */
  readonly package?: string | undefined;
  readonly tools: readonly ToolManifest[];
}

/** `toolwright.manifest.json` of a tool package: all that an app needs to list, offer and check its tools without running its code. */
export interface PackageManifest {
  readonly format: 1;
  /** npm name. */
  readonly package: string;
  readonly version: string;
  readonly toolkits: readonly ToolkitManifest[];
}
