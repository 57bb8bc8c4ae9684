export { logging, type LoggingOptions, type LogLevel, type LogStream } from "./middleware/logging.js";
export { modelRetry, type ModelRetryOptions } from "./middleware/model-retry.js";
export { standard } from "./middleware/standard.js";
export { stepBudget, type StepBudgetOptions } from "./middleware/step-budget.js";
export { toolErrors, type ToolErrorsOptions, type ToolFailure } from "./middleware/tool-errors.js";
export { toolRetry, type ToolRetryOptions } from "./middleware/tool-retry.js";
export { trimOutputs, type TrimOutputsOptions } from "./middleware/trim-outputs.js";
