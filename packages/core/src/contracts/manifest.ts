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

/** What a package says it reaches for. It is declared, not enforced: a person reads it before approving the package. */
export interface PackageNeeds {
  /** Hosts that it connects to, e.g. `api.acme.com` or `*.acme.com`; `*` is any. */
  readonly hosts?: readonly string[] | undefined;
  /** Paths that it reads or writes, in the author's words. */
  readonly files?: readonly string[] | undefined;
  /** Environment variables that it reads by itself, beside those of its configuration. */
  readonly environment?: readonly string[] | undefined;
}

/** A node of plain JSON Schema, as far as it can be made strict. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** How a package is configured. */
export interface PackageConfigManifest {
  /** Plain JSON Schema of the configuration class. Left out when not all of its types are data. */
  readonly schema?: JsonSchema | undefined;
  /** The environment variable from which a key is taken when the app does not give it, by key. */
  readonly environment?: { readonly [key: string]: string } | undefined;
  /** Keys whose values are never printed. */
  readonly secrets?: readonly string[] | undefined;
}

/** `toolwright.manifest.json` of a tool package: all that an app needs to list, offer and check its tools without running its code. */
export interface PackageManifest {
  readonly format: 1;
  /** npm name. */
  readonly package: string;
  readonly version: string;
  /** What it works with, as ranges of versions: `{ "@toolwright/core": "^0.1.0", "node": ">=22.13" }`. */
  readonly engines?: { readonly [name: string]: string } | undefined;
  readonly needs?: PackageNeeds | undefined;
  /** Left out when it takes no configuration. */
  readonly config?: PackageConfigManifest | undefined;
  /** SHA-256 of each tool's description and schema, in hexadecimal, by its name. */
  readonly hashes?: { readonly [tool: string]: string } | undefined;
  readonly toolkits: readonly ToolkitManifest[];
}

/**
 * What the installed tool packages are, for the types of an allow-list. Empty by itself: `toolwright build` adds to it in the
 * app's `toolwright.packages.d.ts`.
 */
export interface ToolPackages {}
