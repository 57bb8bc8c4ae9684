import { ApiError, invalidType, invalidValue, missingParameter, unknownParameter } from "../api-error.js";
import { isRecord, type JsonRecord } from "../json-record.js";
import type { Store } from "../store.js";
import type { InputEntry } from "./input.js";
import { checkShape, type Shape } from "./shape.js";

const status = { type: "string", values: ["in_progress", "completed", "incomplete"] } as const;
const maybeId = { type: "string", nullable: true } as const;
const phase = { type: "string", nullable: true, values: ["commentary", "final_answer"] } as const;
const caller = { type: "object", nullable: true } as const;
const type = { type: "string" } as const;
const maximumOutput = 10_485_760;
const callId = { type: "string", required: true, minLength: 1, maxLength: 64 } as const;
const output = { type: "string or array", required: true, maxLength: maximumOutput } as const;

const shapes: Readonly<Record<string, Shape>> = {
  message: {
    type,
    id: { type: "string" },
    role: { type: "string", required: true, values: ["user", "assistant", "system", "developer"] },
    content: { type: "string or array", required: true },
    status,
    phase,
  },
  reasoning: {
    type,
    id: { type: "string" },
    summary: { type: "array", required: true },
    content: { type: "array" },
    encrypted_content: { type: "string", nullable: true },
  },
  function_call: {
    type,
    id: { type: "string" },
    call_id: callId,
    name: { type: "string", required: true, minLength: 1 },
    arguments: { type: "string", required: true },
    status,
    namespace: { type: "string" },
    caller,
    async: { type: "boolean" },
  },
  function_call_output: {
    type,
    id: maybeId,
    call_id: callId,
    output,
    status: { ...status, nullable: true },
    name: maybeId,
    namespace: maybeId,
    caller,
  },
  custom_tool_call: {
    type,
    id: { type: "string" },
    call_id: callId,
    name: { type: "string", required: true },
    input: { type: "string", required: true },
    namespace: { type: "string" },
    caller,
    async: { type: "boolean" },
  },
  custom_tool_call_output: { type, id: { type: "string" }, call_id: callId, output, caller },
  compaction: { type, id: maybeId, encrypted_content: { type: "string", required: true, maxLength: 20_971_520 } },
};

/** Types that the API takes but whose fields this server does not check. */
const otherTypes = [
  "file_search_call",
  "web_search_call",
  "computer_call",
  "computer_call_output",
  "tool_search_call",
  "tool_search_output",
  "additional_tools",
  "configuration_update",
  "compaction_trigger",
  "image_generation_call",
  "code_interpreter_call",
  "local_shell_call",
  "local_shell_call_output",
  "shell_call",
  "shell_call_output",
  "apply_patch_call",
  "apply_patch_call_output",
  "mcp_list_tools",
  "mcp_approval_request",
  "mcp_approval_response",
  "mcp_call",
  "program",
  "program_output",
];

const breakpoint = { type: "object", nullable: true } as const;
const detail = { type: "string", nullable: true, values: ["low", "high", "auto", "original"] } as const;
const parts: Readonly<Record<string, Shape>> = {
  input_text: { type, text: { type: "string", required: true }, prompt_cache_breakpoint: breakpoint },
  input_image: { type, image_url: maybeId, file_id: maybeId, detail, prompt_cache_breakpoint: breakpoint },
  input_file: {
    type,
    file_id: maybeId,
    file_url: maybeId,
    file_data: maybeId,
    filename: maybeId,
    detail,
    prompt_cache_breakpoint: breakpoint,
  },
  output_text: { type, text: { type: "string", required: true }, annotations: { type: "array" }, logprobs: { type: "array" } },
  refusal: { type, refusal: { type: "string", required: true } },
};
const inputParts = ["input_text", "input_image", "input_file"];
const outputParts = ["output_text", "refusal"];

/** Refuses items of unknown types, with unknown, missing or null fields, and parts that do not belong where they are. */
export function checkItems(entries: readonly InputEntry[], store: Store): void {
  for (const { item, place, referenced } of entries) {
    if (referenced) continue;
    const shape = Object.hasOwn(shapes, item.type) ? shapes[item.type] : undefined;
    if (shape === undefined) {
      const known = otherTypes.includes(item.type) || store.issuedType(item.type);
      if (!known) throw invalidValue(place, item.type, [...Object.keys(shapes), ...otherTypes, "item_reference"]);
      continue;
    }
    checkShape(item, shape, place);
    checkContent(item, place);
  }
}

function checkContent(item: JsonRecord, place: string): void {
  switch (item["type"]) {
    case "message":
      if (item["role"] !== "assistant" && Object.hasOwn(item, "phase")) throw unknownParameter(`${place}.phase`);
      return checkParts(item["content"], `${place}.content`, item["role"] === "assistant" ? outputParts : inputParts);
    case "reasoning":
      checkTexts(item["summary"], `${place}.summary`, "summary_text");
      return checkTexts(item["content"], `${place}.content`, "reasoning_text");
    case "function_call_output":
    case "custom_tool_call_output":
      return checkParts(item["output"], `${place}.output`, inputParts);
    default:
  }
}

function checkParts(content: unknown, place: string, allowed: readonly string[]): void {
  if (!Array.isArray(content)) return;
  for (const [index, part] of (content as readonly unknown[]).entries()) {
    const param = `${place}[${index}]`;
    if (!isRecord(part)) throw invalidType(param, "an object", part);
    if (part["type"] === undefined) throw missingParameter(`${param}.type`);
    if (typeof part["type"] !== "string" || !allowed.includes(part["type"])) throw invalidValue(param, part["type"], allowed);
    const shape = parts[part["type"]];
    if (shape !== undefined) checkShape(part, shape, param);
    if (part["type"] === "input_image" || part["type"] === "input_file") checkMedia(part, param);
  }
}

const webAddress = /^https?:\/\//i;
const readableImage = /^data:image\/(?:png|jpeg|webp|gif);base64,/i;

/** Refuses addresses that are none, images of types that are not read, and files that are not whole `data:` addresses. */
function checkMedia({ type: kind, image_url: image, file_url: url, file_data: data, file_id: id }: JsonRecord, param: string): void {
  const refuse = (field: string, message: string): never => {
    throw new ApiError(`Invalid '${param}.${field}'. ${message}`, { param: `${param}.${field}`, code: "invalid_value" });
  };
  if (typeof image === "string" && !webAddress.test(image)) {
    const example = "Expected a base64-encoded data URL with an image MIME type (e.g. 'data:image/png;base64,aW1nIGJ5dGVzIGhlcmU=')";
    if (!image.startsWith("data:")) refuse("image_url", "Expected a valid URL, but got a value with an invalid format.");
    const mime = /^data:([^;,]*)/.exec(image)?.[1] ?? "";
    if (!readableImage.test(image)) refuse("image_url", `${example}, but got unsupported MIME type '${mime}'.`);
  }
  if (typeof url === "string" && !webAddress.test(url)) refuse("file_url", "Expected a valid URL, but got a value with an invalid format.");
  if (typeof data === "string" && !/^data:[\w.+-]+\/[\w.+-]+;base64,./.test(data))
    refuse("file_data", "Expected a base64-encoded data URL, but got a value without the 'data:' prefix.");
  if ([image, url, data, id].every((source) => source === undefined || source === null))
    throw missingParameter(`${param}.${kind === "input_image" ? "image_url" : "file_id"}`);
}

function checkTexts(list: unknown, place: string, expected: string): void {
  if (!Array.isArray(list)) return;
  for (const [index, part] of (list as readonly unknown[]).entries()) {
    const param = `${place}[${index}]`;
    if (!isRecord(part)) throw invalidType(param, "an object", part);
    if (part["type"] !== expected) throw invalidValue(param, part["type"], [expected]);
    checkShape(part, { type: { type: "string" }, text: { type: "string", required: true } }, param);
  }
}
