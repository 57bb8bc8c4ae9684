import { ApiError, invalidType, invalidValue, missingParameter } from "../api-error.js";
import { isRecord, type JsonRecord } from "../json-record.js";
import { checkShape, type Shape } from "./shape.js";

const flag = { type: "boolean", nullable: true } as const;
const text = { type: "string", nullable: true } as const;
const object = { type: "object", nullable: true } as const;

const parameters: Shape = {
  model: { type: "string", minLength: 1 },
  input: { type: "string or array" },
  instructions: text,
  tools: { type: "array" },
  tool_choice: { type: "string or object" },
  parallel_tool_calls: flag,
  previous_response_id: text,
  conversation: { type: "string or object", nullable: true },
  store: flag,
  stream: flag,
  stream_options: object,
  include: { type: "array", nullable: true },
  text: { type: "object" },
  reasoning: object,
  temperature: { type: "number", nullable: true, min: 0, max: 2 },
  top_p: { type: "number", nullable: true, min: 0, max: 1 },
  top_logprobs: { type: "integer", nullable: true, min: 0, max: 20 },
  max_output_tokens: { type: "integer", nullable: true, min: 16 },
  max_tool_calls: { type: "integer", nullable: true, min: 1 },
  truncation: { type: "string", nullable: true, values: ["auto", "disabled"] },
  metadata: object,
  service_tier: { type: "string", nullable: true, values: ["auto", "default", "flex", "scale", "priority", "fast", "ultrafast"] },
  prompt: object,
  prompt_cache_key: text,
  prompt_cache_options: { type: "object" },
  prompt_cache_retention: { type: "string", nullable: true, values: ["in_memory", "24h"] },
  safety_identifier: { type: "string", nullable: true, maxLength: 128 },
  user: { type: "string" },
  context_management: { type: "array", nullable: true },
  background: flag,
  background_options: { type: "object" },
  moderation: object,
  access_programs: { type: "any" },
  image: { type: "object" },
};

const includable = [
  "reasoning.encrypted_content",
  "file_search_call.results",
  "web_search_call.results",
  "web_search_call.action.sources",
  "message.input_image.image_url",
  "computer_call_output.output.image_url",
  "code_interpreter_call.outputs",
  "message.output_text.logprobs",
];

const reasoning: Shape = {
  effort: { type: "string", nullable: true, values: ["none", "minimal", "low", "medium", "high", "xhigh", "max"] },
  summary: { type: "string", nullable: true, values: ["auto", "concise", "detailed"] },
  generate_summary: { type: "string", nullable: true, values: ["auto", "concise", "detailed"] },
  context: { type: "string", nullable: true, values: ["auto", "current_turn", "all_turns"] },
  mode: { type: "string", nullable: true, values: ["standard", "pro"] },
};

const backgroundOptions: Shape = {
  completion_window: { type: "string", values: ["soonest", "2h", "8h"] },
  continuation_id: { type: "string" },
};

/** Refuses unknown, missing and wrong parameters of the request itself. Its tools and items have checks of their own. */
export function checkParameters(body: JsonRecord): void {
  checkShape(body, parameters, "");
  const prompt = isRecord(body["prompt"]);
  if (!Object.hasOwn(body, "model") && !prompt) throw missingParameter("model");
  const state = typeof body["previous_response_id"] === "string" || (body["conversation"] ?? undefined) !== undefined;
  if (!Object.hasOwn(body, "input") && !prompt && !state) throw missingParameter("input");
  if (typeof body["previous_response_id"] === "string" && (body["conversation"] ?? undefined) !== undefined) {
    throw new ApiError(
      "Mutually exclusive parameters: 'previous_response_id' and 'conversation'. Ensure you are only providing one of: 'previous_response_id' or 'conversation'.",
      { param: "conversation", code: "mutually_exclusive_parameters" },
    );
  }
  if (isRecord(body["reasoning"])) checkShape(body["reasoning"], reasoning, "reasoning");
  if (isRecord(body["stream_options"])) checkShape(body["stream_options"], { include_obfuscation: { type: "boolean" } }, "stream_options");
  for (const [index, entry] of ((body["include"] ?? []) as readonly unknown[]).entries()) {
    if (typeof entry !== "string" || !includable.includes(entry)) throw invalidValue(`include[${index}]`, entry, includable);
  }
  if (isRecord(body["metadata"])) checkMetadata(body["metadata"]);
  checkBackground(body);
}

// The API's own words for these are not known.
function checkBackground({ background, background_options: options, store, stream }: JsonRecord): void {
  if (background === true && store === false)
    throw new ApiError("'store' must be true when 'background' is true.", { param: "store", code: "invalid_value" });
  if (!isRecord(options)) return;
  checkShape(options, backgroundOptions, "background_options");
  const later = options["completion_window"] !== undefined && options["completion_window"] !== "soonest";
  if (later && (background !== true || stream === true))
    throw new ApiError("'background_options.completion_window' needs 'background' to be true and 'stream' to be false.", {
      param: "background_options.completion_window",
      code: "invalid_value",
    });
}

function checkMetadata(metadata: JsonRecord): void {
  const entries = Object.entries(metadata);
  if (entries.length > 16) {
    const message = `Invalid 'metadata': too many properties. Expected an object with at most 16 properties, but got an object with ${entries.length} properties instead.`;
    throw new ApiError(message, { param: "metadata", code: "object_above_max_properties" });
  }
  for (const [key, value] of entries) {
    if (typeof value !== "string") throw invalidType(`metadata.${key}`, "a string", value);
    if (key.length > 64 || value.length > 512) {
      const message = `Invalid 'metadata': keys are limited to 64 characters and values to 512; '${key.slice(0, 64)}' is longer.`;
      throw new ApiError(message, { param: "metadata", code: "string_above_max_length" });
    }
  }
}
