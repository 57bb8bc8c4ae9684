import { entry, type Entry } from "./catalogue-entry.js";

/** Every code that Toolwright uses. `docs/errors.md` lists the same ones; a test keeps them equal. */
export const catalogue = {
  // What the schema compiler says.
  BUILD_FAILED: entry(
    "developer",
    false,
    "The tool classes cannot become strict schemas.",
    "Correct the places listed above; nothing was written.",
  ),
  BUILD_STALE: entry("developer", false, "The generated module is older than the code.", "Run `npx toolwright build`."),
  BUILD_CONFIG: entry(
    "developer",
    false,
    "The build cannot start: a file or an option is wrong.",
    "Correct the file or option named above.",
  ),

  // What a call of a tool says. The model reads these.
  TOOL_UNREGISTERED: entry(
    "developer",
    false,
    "An object in `tools` was not built from a tool class of a generated module.",
    "Run `npx toolwright build` and import the class from `./toolwright.generated.js`.",
  ),
  TOOL_DEFINITION: entry("developer", false, "A tool's definition is wrong.", "Correct the option named above."),
  TOOL_NAME_CLASH: entry(
    "developer",
    false,
    "Two tools have one name.",
    'Give one class a prefix: `@Toolkit({ prefix: "…" })`, or one tool a name: `@Tool({ name: "…" })`.',
  ),
  TOOL_UNKNOWN: entry("provider", false, "The model called a tool that does not exist.", "Nothing: the model is told the names there are."),
  TOOL_ARGUMENTS_INVALID: entry(
    "provider",
    false,
    "The model's arguments are not JSON or do not fit the schema.",
    "Nothing: the model is told what is wrong.",
  ),
  TOOL_DUPLICATE_CALL: entry(
    "provider",
    false,
    "Two different calls of one reply have one call id.",
    "Nothing: neither is run, and the model is told.",
  ),
  TOOL_FAILED: entry("developer", false, "The tool threw something other than a ToolError.", "Look up the reference in the log."),
  TOOL_TIMEOUT: entry(
    "developer",
    true,
    "The tool did not end within its time.",
    "Raise `timeoutMs` of the tool, or let it heed `context.signal`.",
  ),
  TOOL_ABORTED: entry("user", false, "The run was aborted while the tool ran.", "Nothing: it was asked for."),
  TOOL_AGENT_FAILED: entry(
    "developer",
    false,
    "An agent used as a tool came to no answer.",
    "See the log for what ended its run, such as a budget or a failure of its model.",
  ),
  TOOL_CIRCUIT_OPEN: entry(
    "provider",
    false,
    "The tool failed too often, so for a while it is not called.",
    "Wait until `circuitBreaker` tries it again, and see the log for what failed.",
  ),
  TOOL_ECHO_MISMATCH: entry(
    "developer",
    false,
    "The result does not repeat an argument named in `echo`.",
    "Check what the tool's remote answered.",
  ),
  TOOL_LIMIT: entry("developer", false, "The tool was called more often than `maxCalls` allows.", "Raise `maxCalls` if that was meant."),
  TOOL_MISSING_PACKAGE: entry(
    "developer",
    false,
    "A tool's DTO classes need a package that is not installed.",
    "Install it: `npm install class-validator class-transformer`.",
  ),
  TOOL_OUTCOME_UNKNOWN: entry(
    "user",
    false,
    "A write started, and nobody knows whether it happened.",
    "Check the remote before repeating it.",
  ),

  // What a model or the way to it says.
  MODEL_MISSING_PACKAGE: entry("developer", false, "A package that is needed is not installed.", "Install it: `npm install openai`."),
  MODEL_NO_API_KEY: entry("operator", false, "There is no API key.", "Set OPENAI_API_KEY, or pass `client: new OpenAI({ apiKey })`."),
  MODEL_AUTHENTICATION: entry("operator", false, "The API refused the key.", "Check the key, its project and its permissions."),
  MODEL_BAD_REQUEST: entry("developer", false, "The API refused the request.", "Correct what its message names."),
  MODEL_NOT_FOUND: entry("developer", false, "The API does not know the model, response or conversation.", "Check its name or id."),
  MODEL_QUOTA: entry("operator", false, "The quota is used up.", "Check plan and billing; waiting does not help."),
  MODEL_RATE_LIMIT: entry(
    "provider",
    true,
    "Too many requests or tokens.",
    "Wait as long as `details.retryAfterMs` says; `modelRetry()` does.",
  ),
  MODEL_SERVER: entry("provider", true, "The API failed.", "Try again; `modelRetry()` does."),
  MODEL_CONNECTION: entry(
    "provider",
    true,
    "The API could not be reached, or the connection broke.",
    "Check the network; `modelRetry()` tries again.",
  ),
  MODEL_TIMEOUT: entry(
    "provider",
    true,
    "The API did not answer in time.",
    'Use `transport: "sse"` for slow models, or raise the client\'s timeout.',
  ),
  MODEL_CONFLICT: entry("provider", true, "Another process holds the conversation or response.", "Wait until it is done."),
  MODEL_CIRCUIT_OPEN: entry(
    "provider",
    false,
    "The model failed too often, so for a while it is not asked.",
    "Wait as long as `details.retryAfterMs` says, or ask another one with `fallback()`.",
  ),
  MODEL_STREAM_ENDED: entry(
    "provider",
    true,
    "The stream ended before the response was completed; nothing of it was run.",
    "Try again; `modelRetry()` does.",
  ),
  MODEL_FAILED: entry("provider", false, "The response failed; nothing of it was run.", "See `details.code`."),
  MODEL_INCOMPLETE: entry(
    "developer",
    false,
    "The response was cut off; nothing of it was run.",
    "Raise `settings.max_output_tokens`, or ask for less.",
  ),
  MODEL_UNSUPPORTED: entry(
    "developer",
    false,
    "The provider does not take what the request holds.",
    "See the message for what to leave out, or use another provider.",
  ),
  MODEL_PROTOCOL: entry(
    "provider",
    false,
    "The server answered something that is not a response.",
    "Check `baseURL`: is it a Responses API?",
  ),

  MODEL_WEBHOOK: entry(
    "operator",
    false,
    "A webhook was not sent by the API, or not now.",
    "Answer it with status 400; if it was sent by the API, check the secret, the clock, and that the body is the raw one.",
  ),

  // What a run says.
  RUN_ABORTED: entry("user", false, "The run was aborted.", "Nothing: it was asked for. `error.result` has the work done so far."),
  RUN_TIMEOUT: entry(
    "developer",
    false,
    "The run, or one of its steps, took longer than it may.",
    "Raise `timeoutMs` or `stepTimeoutMs`, or go on from `error.result.history`.",
  ),
  RUN_BLOCKED: entry(
    "user",
    false,
    "A guard did not let the input, an answer or a call pass.",
    "See `details.guard` and `details.reason`.",
  ),
  RUN_REPLAY: entry(
    "developer",
    false,
    "The recording has nothing for a call of this run.",
    'Record the run again: `replay({ file, mode: "record" })`.',
  ),
  RUN_BUDGET: entry("developer", false, "A budget of the run is used up.", "Raise it, or continue from `error.result.history`."),
  RUN_OPTIONS: entry("developer", false, "An option is wrong.", "Correct the option named above."),
  RUN_MISSING_PACKAGE: entry("developer", false, "A package that a middleware needs is not installed.", "Install it as the message says."),
  RUN_OUTPUT: entry(
    "provider",
    false,
    "The model's answer does not fit the agent's `output`, also after it was told what is wrong.",
    "See `details.issues`; raise `outputRepairs`, or make the output's descriptions clearer.",
  ),
  RUN_HISTORY: entry(
    "developer",
    false,
    "The supplied history would be refused by the API.",
    "Use `repairHistory(items)`, or remove the item named above.",
  ),
  RUN_SESSION: entry("operator", false, "A session's file cannot be opened, read or written.", "See the message and `cause`."),
  RUN_SESSION_BUSY: entry(
    "developer",
    true,
    "Another run has the session.",
    "Wait until that run has ended, or use a session of its own for each run.",
  ),
  RUN_STATE: entry(
    "developer",
    false,
    "The state cannot be resumed with these decisions, tools or this version.",
    "See the message for what does not fit.",
  ),
  RUN_MIDDLEWARE: entry("developer", false, "A middleware broke the rules of the pipeline.", "Correct the middleware named above."),
  RUN_FAILED: entry("developer", false, "Something unexpected, such as a store, broke the run.", "See `cause`."),
  RUN_TOOL_FAILED: entry("developer", false, "A tool failed, and `toolErrors({ rethrow })` says that this ends the run.", "See `cause`."),

  // What the registry says.
  REGISTRY_NOT_INSTALLED: entry("developer", false, "An allowed package is not installed.", "Install it, or take it off the allow-list."),
  REGISTRY_MANIFEST: entry(
    "developer",
    false,
    "A package's manifest is broken or of another version.",
    "Update the package, or ask its author to rebuild it.",
  ),
  REGISTRY_MISMATCH: entry(
    "developer",
    false,
    "A package's code disagrees with its manifest.",
    "Ask its author to run `npx toolwright build` and publish again.",
  ),
  REGISTRY_EMPTY: entry("developer", false, "The filters left no tool.", "Check `tools`, `effects` and the allow-list."),
  REGISTRY_CONFIG: entry("developer", false, "A package's configuration is missing or wrong.", "Pass `config` as the message says."),
  REGISTRY_LOAD: entry("developer", false, "A package could not be imported or created.", "See `cause`."),
  REGISTRY_ENGINE: entry(
    "developer",
    false,
    "A package does not work with this version of @toolwright/core or of Node.",
    "Install a version of the package that does, or the version that it asks for.",
  ),
  REGISTRY_LOCK: entry(
    "developer",
    false,
    "The lock of the tool packages is missing, broken or of another version.",
    "Run `npx toolwright lock`.",
  ),
  REGISTRY_DRIFT: entry(
    "operator",
    false,
    "A tool package is not the one that was approved.",
    "Run `npx toolwright diff` to read what changed, then `npx toolwright lock` to approve it.",
  ),
  REGISTRY_DUPLICATE: entry(
    "developer",
    false,
    "Two copies of a package that must be one are installed, and what one of them recorded the other does not see.",
    "Let tool packages have it as a peer dependency, and run `npm dedupe`.",
  ),
} as const satisfies Record<string, Entry>;

/** A stable code of the catalogue. */
export type ErrorCode = keyof typeof catalogue;
