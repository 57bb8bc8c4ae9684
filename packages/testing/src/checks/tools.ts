import { ApiError, emptyString, invalidType, invalidValue, missingParameter, tooLong } from "../api-error.js";
import { isRecord, type JsonRecord } from "../json-record.js";
import { checkHostedTool } from "./hosted-tools.js";
import { checkToolSchema } from "./schemas.js";
import { checkShape, type Shape } from "./shape.js";

const toolTypes = [
  "function",
  "custom",
  "namespace",
  "tool_search",
  "mcp",
  "file_search",
  "web_search",
  "web_search_preview",
  "computer",
  "computer_use_preview",
  "code_interpreter",
  "programmatic_tool_calling",
  "image_generation",
  "local_shell",
  "shell",
  "apply_patch",
];

const namePattern = /^[a-zA-Z0-9_-]+$/;
const maximumTools = 128;
const maximumName = 64;
/** Inside a namespace the published limit is wider. */
const maximumNameInNamespace = 128;

const functionTool: Shape = {
  type: { type: "string" },
  name: { type: "string" },
  description: { type: "string", nullable: true },
  parameters: { type: "object", nullable: true },
  strict: { type: "boolean", nullable: true },
  defer_loading: { type: "boolean" },
  async: { type: "boolean" },
  allowed_callers: { type: "array", nullable: true },
  output_schema: { type: "object", nullable: true },
};

const customTool: Shape = {
  type: { type: "string" },
  name: { type: "string" },
  description: { type: "string" },
  format: { type: "object" },
  defer_loading: { type: "boolean" },
  async: { type: "boolean" },
  allowed_callers: { type: "array", nullable: true },
};

/** Refuses tools that are not flat, have bad names or schemas, or are too many, and a choice among tools that are not there. */
export function checkTools(body: JsonRecord): void {
  const tools = (body["tools"] ?? []) as readonly unknown[];
  if (tools.length > maximumTools) {
    const message = `Invalid 'tools': array too long. Expected an array with maximum length ${maximumTools}, but got an array with length ${tools.length} instead.`;
    throw new ApiError(message, { param: "tools", code: "array_above_max_length" });
  }
  tools.forEach((tool, index) => checkTool(tool, `tools[${index}]`, maximumName));
  if (tools.length === 0 && typeof body["parallel_tool_calls"] === "boolean") {
    throw new ApiError("'parallel_tool_calls' is only allowed when 'tools' are specified.", {
      param: "parallel_tool_calls",
      code: "invalid_value",
    });
  }
  checkToolChoice(body["tool_choice"], tools.filter(isRecord));
}

function checkTool(tool: unknown, place: string, nameLimit: number): void {
  if (!isRecord(tool)) throw invalidType(place, "an object", tool);
  const type = tool["type"];
  if (type === undefined) throw missingParameter(`${place}.type`);
  if (typeof type !== "string" || !toolTypes.includes(type.replace(/_\d{4}_\d{2}_\d{2}$/, "")))
    throw invalidValue(`${place}.type`, type, toolTypes);
  if (type === "namespace") {
    checkName(tool, place, maximumName);
    const members = tool["tools"];
    if (!Array.isArray(members)) throw missingParameter(`${place}.tools`);
    members.forEach((member, index) => checkTool(member, `${place}.tools[${index}]`, maximumNameInNamespace));
  }
  if (type !== "function" && type !== "custom") return checkHostedTool(tool, place);
  // The name first: a tool in the nested form of Chat Completions is told that it has none.
  checkName(tool, place, nameLimit);
  checkShape(tool, type === "function" ? functionTool : customTool, place);
  if (type === "function") checkToolSchema(tool, place);
}

function checkName(tool: JsonRecord, place: string, limit: number): void {
  const param = `${place}.name`;
  const name = tool["name"];
  if (name === undefined) throw missingParameter(param);
  if (typeof name !== "string") throw invalidType(param, "a string", name);
  if (name === "") throw emptyString(param);
  if (!namePattern.test(name)) {
    const message = `Invalid '${param}': string does not match pattern. Expected a string that matches the pattern '${namePattern.source}'.`;
    throw new ApiError(message, { param, code: "invalid_value" });
  }
  if (name.length > limit) throw tooLong(param, limit, name.length);
}

function checkToolChoice(choice: unknown, tools: readonly JsonRecord[]): void {
  if (choice === undefined) return;
  const modes = ["none", "auto", "required"];
  if (typeof choice === "string") {
    if (!modes.includes(choice)) throw invalidValue("tool_choice", choice, modes);
    if (choice === "required" && tools.length === 0) throw withoutTools(choice);
    return;
  }
  if (!isRecord(choice)) throw invalidType("tool_choice", "one of a string or object", choice);
  if (choice["type"] === undefined) throw missingParameter("tool_choice.type");
  const named = choice["type"] === "function" || choice["type"] === "custom";
  if (tools.length === 0) throw withoutTools(String(choice["name"] ?? choice["type"]));
  const wanted =
    choice["type"] === "allowed_tools" ? ((choice["tools"] ?? []) as readonly unknown[]).filter(isRecord) : named ? [choice] : [];
  for (const entry of wanted) {
    const found = tools.some((tool) => tool["type"] === entry["type"] && (entry["name"] === undefined || tool["name"] === entry["name"]));
    if (!found)
      throw new ApiError(`Tool choice '${String(entry["name"] ?? entry["type"])}' not found in 'tools' parameter.`, {
        param: "tool_choice",
      });
  }
}

const withoutTools = (choice: string): ApiError =>
  new ApiError(`Tool choice '${choice}' must be specified with 'tools' parameter.`, { param: "tool_choice" });
