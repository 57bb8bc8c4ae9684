import { missingParameter } from "../api-error.js";
import type { JsonRecord } from "../json-record.js";
import { checkShape, type FieldRule, type Shape } from "./shape.js";

const type = { type: "string" } as const;
const text = { type: "string", nullable: true } as const;
const list = { type: "array", nullable: true } as const;
const object = { type: "object", nullable: true } as const;
const flag = { type: "boolean" } as const;
const whole = { type: "integer" } as const;
const oneOf = (...values: readonly string[]): FieldRule => ({ type: "string", nullable: true, values });

const location = { user_location: object, search_context_size: oneOf("low", "medium", "high") } as const;
const webSearch: Shape = { type, filters: object, external_web_access: flag, ...location };
const webSearchPreview: Shape = { type, search_content_types: list, ...location };

/** The fields of hosted tools. A type that is not here is taken as it is. */
const shapes: Readonly<Record<string, Shape>> = {
  web_search: webSearch,
  web_search_2025_08_26: webSearch,
  web_search_preview: webSearchPreview,
  web_search_preview_2025_03_11: webSearchPreview,
  file_search: {
    type,
    vector_store_ids: { type: "array", required: true },
    filters: object,
    max_num_results: whole,
    ranking_options: object,
  },
  code_interpreter: { type, container: { type: "string or object", required: true }, allowed_callers: list },
  image_generation: {
    type,
    action: oneOf("generate", "edit", "auto"),
    background: oneOf("transparent", "opaque", "auto"),
    complexity: oneOf("low", "medium", "high"),
    frame_count: whole,
    frame_duration_ms: whole,
    input_fidelity: oneOf("high", "low"),
    input_image_mask: object,
    model: text,
    moderation: oneOf("auto", "low"),
    output_compression: whole,
    output_format: oneOf("png", "webp", "jpeg", "gif", "svg"),
    partial_images: whole,
    quality: oneOf("low", "medium", "high", "xhigh", "max", "auto"),
    size: text,
    svg: object,
  },
  mcp: {
    type,
    server_label: { type: "string", required: true, minLength: 1 },
    server_description: text,
    server_url: text,
    connector_id: text,
    tunnel_id: text,
    allowed_tools: { type: "any" },
    authorization: text,
    headers: object,
    require_approval: { type: "any" },
    defer_loading: flag,
    allowed_callers: list,
  },
  tool_search: { type, execution: oneOf("server", "client"), description: text, parameters: object },
  programmatic_tool_calling: { type },
};

/** Refuses hosted tools that lack a field, or have one that there is none of. */
export function checkHostedTool(tool: JsonRecord, place: string): void {
  const shape = Object.hasOwn(shapes, String(tool["type"])) ? shapes[String(tool["type"])] : undefined;
  if (shape === undefined) return;
  checkShape(tool, shape, place);
  const hasServer = ["server_url", "connector_id", "tunnel_id"].some((field) => typeof tool[field] === "string");
  if (tool["type"] === "mcp" && !hasServer) throw missingParameter(`${place}.server_url`);
}
