export { autoModel, type AnsweredCall, type Planner, type PlannerView } from "./auto-model.js";
export { checkMiddleware, type ContractOptions, type MiddlewareContractOptions } from "./check-middleware.js";
export { checkPipeline } from "./check-pipeline.js";
export { type CheckName, type CheckResult, ContractError, type ContractReport } from "./contract/report.js";
export type { MiddlewareChanges } from "./contract/view.js";
export type { ExchangeEnd, RecordedRequest } from "./recorded-request.js";
export {
  reply,
  type BreakSpec,
  type CallSpec,
  type ErrorSpec,
  type EventsReply,
  type HttpErrorSpec,
  type HttpReply,
  type MessageOptions,
  type OutputReply,
  type ReasoningSpec,
  type Reply,
} from "./reply.js";
export type { BackgroundFault, BackgroundSpec, FramingSpec, ReplyOptions, UsageSpec } from "./reply-options.js";
export type { DeclaredTool, RequestBody } from "./request-body.js";
export type { ReplyFunction, Script, ScriptRequest } from "./script.js";
export { startResponsesServer, type AssertDoneOptions, type ResponsesServer, type ResponsesServerOptions } from "./server.js";
export { checkStrictSchema, type StrictSchemaProblem } from "./strict-schema.js";
export { toolContext, type LogLine, type TestToolContext, type ToolContextOverrides } from "./tool-context.js";
