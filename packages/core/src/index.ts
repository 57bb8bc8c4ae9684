import { AgentBase } from "./agent.js";
import type { AgentOptions as BaseOptions } from "./agent-types.js";
import type { Model } from "./contracts/model.js";
import { openaiModel, type OpenAIModelOptions } from "./openai/responses-model.js";
import type { AppOfTools } from "./registry/app-of-tools.js";
import type { CheckedTools } from "./registry/checked-tools.js";
import type { AgentTool } from "./registry/collect-tools.js";
import type { AgentOutput } from "./registry/define-output.js";

/** What an agent is made of. The options of the model's adapter are for a model given by name. */
export interface AgentOptions<App = unknown, Output = string> extends BaseOptions<App, Output>, OpenAIModelOptions {}

/**
 * An agent: a model, tools, and the middlewares around both.
 *
 * @typeParam App - what the contexts of its tools need, all at once; inferred, and `run` then asks for it.
 * @typeParam Output - what a completed run gives.
 */
export interface Agent<App = unknown, Output = string> extends AgentBase<App, Output> {}

/** Stands for the context's type where nobody has said it: it is then what the tools need. */
declare const fromTools: unique symbol;
type FromTools = typeof fromTools;
type AppOr<App> = [App] extends [FromTools] ? never : App;
// Of tools among which one is wrong, the compiler knows nothing: that is one error, and none about `run`.
type AppOf<Tools extends readonly unknown[]> = [number, AppOfTools<Tools>] extends [Tools["length"], never] ? unknown : AppOfTools<Tools>;
type NoneOr<App> = [App] extends [FromTools] ? readonly [] : readonly AgentTool<App>[];

/** How an {@link Agent} is made. `new Agent<MyApp>({ … })` says the context's type rather than have it inferred. */
export interface AgentConstructor {
  /**
   * @example
   * const agent = new Agent({ model: "gpt-5.4-mini", tools: [new Calculator()], middleware: [logging(), ...standard()] });
   * const result = await agent.run("What is 12 * 9 / 5 + 32?");
   * @throws ToolwrightError `RUN_OPTIONS`, `TOOL_…` when an option is wrong.
   */
  new <App = FromTools, Output = string, const Tools extends readonly AgentTool<AppOr<App>>[] = NoneOr<App>>(
    options: Omit<AgentOptions<AppOr<App>>, "tools" | "output"> & {
      readonly tools?: (Tools & CheckedTools<Tools>) | undefined;
      readonly output?: AgentOutput<Output> | undefined;
    },
  ): Agent<[App] extends [FromTools] ? AppOf<Tools> : App, Output>;
  readonly prototype: Agent<never, unknown>;
}

class ResponsesAgent<App, Output> extends AgentBase<App, Output> {
  // What a stack trace or a debugger shows.
  static override readonly name = "Agent";

  protected override modelByName(name: string, options: AgentOptions<App, Output>): Model {
    return openaiModel(name, options);
  }
}

// A constructor with a parameter for its tools, which a class cannot have: from a list, TypeScript would otherwise take the
// context of the first tool for that of all.
export const Agent = ResponsesAgent as unknown as AgentConstructor;

export type { ResumeOptions, RunOptions } from "./agent-types.js";
export { Output, type OutputOptions } from "./authoring/output.js";
export { Param } from "./authoring/param.js";
export { Tool } from "./authoring/tool.js";
export { Toolkit } from "./authoring/toolkit.js";
export type { ParamOptions, ToolkitOptions, ToolOptions } from "./authoring/options.js";
export type * from "./contracts/event.js";
export type * from "./contracts/history.js";
export type * from "./contracts/hosted-tools.js";
export type * from "./contracts/item.js";
export type * from "./contracts/json.js";
export type * from "./contracts/manifest.js";
export type * from "./contracts/middleware.js";
export type * from "./contracts/model.js";
export type * from "./contracts/outcome.js";
export type * from "./contracts/output.js";
export type * from "./contracts/run.js";
export type * from "./contracts/schema.js";
export type * from "./contracts/tool.js";
export type * from "./contracts/usage.js";
export { catalogue as errorCatalogue, type ErrorCode } from "./errors/catalogue.js";
export { RunStop } from "./errors/run-stop.js";
export { ToolError } from "./errors/tool-error.js";
export { ToolwrightError, type ToolwrightErrorOptions } from "./errors/toolwright-error.js";
export type { BackgroundOptions } from "./openai/background-options.js";
export type { ResponsesClient, ResponsesGetOptions, ResponsesReply, ResponsesRequestOptions } from "./openai/client.js";
export type { Provider } from "./openai/providers.js";
export { openaiModel, type OpenAIModelOptions } from "./openai/responses-model.js";
export { type ResponseWebhookType, verifyWebhook, type VerifyWebhookOptions, type WebhookEvent } from "./openai/verify-webhook.js";
export type { WebhookHeaders } from "./openai/webhook-headers.js";
export type { ExplainedMiddleware, PipelineExplanation } from "./pipeline/explain.js";
export { defineMiddleware } from "./pipeline/define-middleware.js";
export type { AgentToolOptions } from "./registry/agent-tool.js";
export { type AgentTool, toolDefinitions } from "./registry/collect-tools.js";
export type { AppOfTools } from "./registry/app-of-tools.js";
export { customTool, type CustomToolOptions } from "./registry/custom-tool.js";
export { type DefinedTool, defineTool, type DefineToolOptions, type StandardJsonSchema } from "./registry/define-tool.js";
export {
  type InstalledPackage,
  type InstalledPackages,
  installedToolPackages,
  listToolPackages,
  type ToolPackageListing,
} from "./registry/installed-packages.js";
export { type LockedPackage, lockFileName, lockOf, readLock, type ToolLock } from "./registry/lock.js";
export { type ManifestChange, manifestChanges } from "./registry/manifest-changes.js";
export { toolHash } from "./registry/manifest-hash.js";
export type { ConfigKeyListing, PackageListing, ToolListing } from "./registry/offer.js";
export { type AgentOutput, defineOutput, type DefineOutputOptions, type OutputOf } from "./registry/define-output.js";
export type { OutputFromGeneratedModule, OutputManifest } from "./registry/output-table.js";
export type { Allowances, PackageAllowance } from "./registry/package-allowance.js";
export { handoff, type HandoffOptions, type HandoffTarget } from "./registry/handoff-tool.js";
export { prefixed } from "./registry/prefixed.js";
export { toolNamespace, type ToolNamespaceOptions } from "./registry/tool-namespace.js";
export { visibleText } from "./registry/visible-text.js";
export type { PreloadOptions } from "./registry/preload.js";
export type { BundledPackage, BundleOptions, DiscoverOptions, MakingOptions } from "./registry/registry-options.js";
export type { ConstructedClass, ResolveToolkit } from "./registry/resolve-toolkit.js";
export { type ConfigClass, defineToolPackage, type ToolPackage, type ToolPackageOptions } from "./registry/tool-package.js";
export { type ToolkitClass, toolkits } from "./registry/toolkits.js";
export { ToolRegistry } from "./registry/tool-registry.js";
export type { AgentStream, PartialOutput } from "./run/event-stream.js";
export { isFunctionCall, isFunctionCallOutput } from "./run/history-items.js";
export { type HistoryRepair, type RepairedHistory, repairHistory } from "./run/history-repair.js";
export type { MediaData } from "./run/history-media.js";
export { file, image, userMessage } from "./run/history-message.js";
export type { UnreadPart, FilePart, FileSource, ImagePart, ImageSource, OutputPart } from "./run/history-parts.js";
export { content, type ToolContent } from "./run/show-value.js";
export { memorySession } from "./session/memory-session.js";
export { type SqliteSession, sqliteSession, type SqliteSessionOptions } from "./session/sqlite-session.js";
export { type TokenPrices, usageCost } from "./run/usage-cost.js";
