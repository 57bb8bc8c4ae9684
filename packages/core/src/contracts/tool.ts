import type { JsonObject } from "./json.js";
import type { ToolOutcome } from "./outcome.js";
import type { Issue, ObjectSchema } from "./schema.js";

/** What a tool does to the world. Reads run in parallel and may be repeated; writes hold a lane and are not. */
export type ToolEffect = "read" | "write" | "destructive";

/** Where a tool may write log lines. Any pino-compatible logger fits. */
export interface ToolLog {
  debug(fields: object, message?: string): void;
  info(fields: object, message?: string): void;
  warn(fields: object, message?: string): void;
  error(fields: object, message?: string): void;
}

/**
 * What a tool method gets beside its arguments. Declare a parameter of this type anywhere in the method; it is left out
 * of the schema, and the model never sees it.
 *
 * @typeParam App - the application's own typed context, given to `agent.run(input, { app })`.
 */
export interface ToolContext<App = unknown> {
  readonly app: App;
  readonly runId: string;
  /** Zero-based step of the run. */
  readonly step: number;
  readonly callId: string;
  /** 1 for the first attempt. */
  readonly attempt: number;
  /** Constant over attempts and resumes of one call: pass it to a remote that de-duplicates. */
  readonly idempotencyKey: string;
  /** Aborted when the run is aborted or the tool's time is over; its reason says which. */
  readonly signal: AbortSignal;
  readonly log: ToolLog;
  /** Emits a `tool-progress` event. */
  progress(update: string | JsonObject): void;
  /** Marks the type for the schema compiler; never set. */
  readonly "~toolwright.context"?: ((app: App) => void) | undefined;
}

/** What `query` answers about a write of unknown outcome. */
export type QueryAnswer = { readonly done: true; readonly result: unknown } | { readonly absent: true } | { readonly unknown: true };

/** What everyone may know of a tool: data only. */
export interface ToolInfo {
  /** Model-visible name. */
  readonly name: string;
  /** `package#Class.method`, or `app#…`: names the tool across processes. */
  readonly identity: string;
  readonly description: string;
  readonly parameters: ObjectSchema;
  /** `"write"` when none was declared. */
  readonly effect: ToolEffect;
  readonly effectDeclared: boolean;
  readonly idempotent: boolean;
  /** Milliseconds. */
  readonly timeoutMs: number;
  /** Templates such as `order:{orderId}`. */
  readonly resource: readonly string[];
  readonly maxCalls: number | undefined;
  readonly echo: readonly string[];
  readonly tags: readonly string[];
  readonly needsApproval: boolean;
}

/** Arguments after checking: normalised JSON (absent optionals removed), or what is wrong with them. */
export type CheckedArguments =
  | { readonly ok: true; readonly arguments: JsonObject }
  | { readonly ok: false; readonly issues: readonly Issue[] };

/** Decoded arguments, ready for the method, or what is wrong with them. */
export type PreparedCall =
  | { readonly ok: true; invoke(context: ToolContext): unknown }
  | { readonly ok: false; readonly issues: readonly Issue[] };

/** An agent that is used as a tool: for a call of it, the kernel starts an inner run. */
export interface NestedAgent {
  /** All that a loop needs of the agent; the kernel knows its form. */
  kernel(): object;
  /** What the model reads of the inner run's answer. */
  show(output: unknown): unknown;
}

/** A tool by which the model lets another agent go on with the run. */
export interface Handoff {
  /** All that a loop needs of the agent; the kernel knows its form. */
  kernel(): object;
}

/** A group of tools that the model sees under one name. Their own names stay what they are, different from all others. */
export interface ToolGroup {
  readonly name: string;
  readonly description: string;
  /** Whether the API's search loads the tools when the model looks for them, rather than all at once. */
  readonly deferred: boolean;
}

/**
 * A tool that the kernel can run, whatever it was made from.
 *
 * `prepare` decodes (Dates, DTO instances, class-validator) and may fail with issues; the function it gives back is the
 * effect itself, so that everything before it is certainly no effect.
 */
export interface RunnableTool {
  readonly info: ToolInfo;
  /** Checks values against `info.parameters`. */
  check(value: unknown): CheckedArguments;
  prepare(checked: JsonObject): PreparedCall | Promise<PreparedCall>;
  /** Whether this call needs a person's approval. Left out when the tool never does. */
  approve?(checked: JsonObject, context: ToolContext): Promise<boolean>;
  /** How the tool is sent, when it is no function. */
  readonly spec?: HostedTool | undefined;
  /** The group that it is sent in. */
  readonly group?: ToolGroup | undefined;
  /** Set for an agent used as a tool: what `prepare` gives then makes the inner run's input, and is no effect. */
  readonly agent?: NestedAgent | undefined;
  /** Set for a handoff: after the step in which it was called, that agent answers. */
  readonly handoff?: Handoff | undefined;
  query?(checked: JsonObject, context: ToolContext): Promise<QueryAnswer>;
  compensate?(checked: JsonObject, outcome: ToolOutcome, context: ToolContext): Promise<void>;
}

/** A tool that the provider runs itself: passed through as it is. */
export interface HostedTool {
  readonly type: string;
  readonly [key: string]: unknown;
}

/**
 * What a toolkit class becomes in the generated module. An instance of a class imported from its own source file lacks
 * this mark: import the class from `toolwright.generated.js` instead.
 */
export interface ToolkitFromGeneratedModule<App> {
  readonly "~toolwright": { readonly app: (app: App) => void };
}

/** Anything that brings tools by itself: `defineTool`, a registry, an agent as a tool. */
export interface ToolSource<App = unknown> {
  readonly "~toolwright.tools": {
    /** Given anew for each agent. */
    tools(): readonly RunnableTool[];
    readonly app?: ((app: App) => void) | undefined;
  };
}
