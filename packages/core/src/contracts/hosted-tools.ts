// Types and no interfaces: an object of one of these is also a `HostedTool`, which takes any field.

/** From where a tool may be called: by the model itself, or by a program that it wrote (`programmatic_tool_calling`). */
type AllowedCallers = { readonly allowed_callers?: readonly ("direct" | "programmatic")[] | undefined };

/** Where a user is, roughly, for searches. */
type ApproximateLocation = {
  readonly type?: "approximate" | undefined;
  readonly city?: string | undefined;
  /** Two letters, ISO 3166-1, e.g. `"NO"`. */
  readonly country?: string | undefined;
  readonly region?: string | undefined;
  /** An IANA name, e.g. `"Europe/Oslo"`. */
  readonly timezone?: string | undefined;
};

/** Lets the model search the web. Its `web_search_call` items and the annotations of the answer say what it read. */
export type WebSearchTool = {
  readonly type: "web_search" | "web_search_2025_08_26";
  readonly filters?: { readonly allowed_domains?: readonly string[] | undefined } | undefined;
  /** False: from what is cached alone. */
  readonly external_web_access?: boolean | undefined;
  readonly search_context_size?: "low" | "medium" | "high" | undefined;
  readonly user_location?: ApproximateLocation | undefined;
};

/** The search of older models. */
export type WebSearchPreviewTool = {
  readonly type: "web_search_preview" | "web_search_preview_2025_03_11";
  readonly search_content_types?: readonly ("text" | "image")[] | undefined;
  readonly search_context_size?: "low" | "medium" | "high" | undefined;
  readonly user_location?: (ApproximateLocation & { readonly type: "approximate" }) | undefined;
};

/** Compares an attribute of a file with a value. */
export type FileFilter =
  | {
      readonly type: "eq" | "ne" | "gt" | "gte" | "lt" | "lte" | "in" | "nin";
      readonly key: string;
      readonly value: string | number | boolean | readonly (string | number)[];
    }
  | { readonly type: "and" | "or"; readonly filters: readonly FileFilter[] };

/** Lets the model search in vector stores of yours. `include: ["file_search_call.results"]` in the settings shows what it found. */
export type FileSearchTool = {
  readonly type: "file_search";
  readonly vector_store_ids: readonly string[];
  readonly filters?: FileFilter | undefined;
  readonly max_num_results?: number | undefined;
  readonly ranking_options?:
    | {
        readonly ranker?: "auto" | "default-2024-11-15" | undefined;
        readonly score_threshold?: number | undefined;
        readonly hybrid_search?: { readonly embedding_weight: number; readonly text_weight: number } | undefined;
      }
    | undefined;
};

/** What a container of the provider's may reach. Values of `domain_secrets` are sent, and shown nowhere. */
type NetworkPolicy =
  | { readonly type: "disabled" }
  | {
      readonly type: "allowlist";
      readonly allowed_domains: readonly string[];
      readonly domain_secrets?: readonly { readonly domain: string; readonly name: string; readonly value: string }[] | undefined;
    };

type ContainerFields = {
  readonly file_ids?: readonly string[] | undefined;
  readonly memory_limit?: "1g" | "4g" | "16g" | "64g" | undefined;
  readonly network_policy?: NetworkPolicy | undefined;
};

/** Lets the model run Python in a container of the provider's: a new one (`{ type: "auto" }`), or one by its id. */
export type CodeInterpreterTool = {
  readonly type: "code_interpreter";
  readonly container: string | ({ readonly type: "auto" } & ContainerFields);
} & AllowedCallers;

/** Lets the model draw. The picture is in `image_generation_call.result`, base64. */
export type ImageGenerationTool = {
  readonly type: "image_generation";
  readonly action?: "generate" | "edit" | "auto" | undefined;
  readonly background?: "transparent" | "opaque" | "auto" | undefined;
  readonly complexity?: "low" | "medium" | "high" | undefined;
  readonly frame_count?: number | undefined;
  readonly frame_duration_ms?: number | undefined;
  readonly input_fidelity?: "high" | "low" | undefined;
  readonly input_image_mask?: { readonly file_id?: string | undefined; readonly image_url?: string | undefined } | undefined;
  readonly model?: string | undefined;
  readonly moderation?: "auto" | "low" | undefined;
  readonly output_compression?: number | undefined;
  readonly output_format?: "png" | "webp" | "jpeg" | "gif" | "svg" | undefined;
  readonly partial_images?: number | undefined;
  readonly quality?: "low" | "medium" | "high" | "xhigh" | "max" | "auto" | undefined;
  /** `"auto"`, or width and height, e.g. `"1536x1024"`. */
  readonly size?: string | undefined;
  readonly svg?:
    | { readonly model?: string | undefined; readonly reasoning?: { readonly effort?: string | undefined } | undefined }
    | undefined;
};

/** Tools of an MCP server, by name or by what their annotations say of them. */
type McpFilter = { readonly read_only?: boolean | undefined; readonly tool_names?: readonly string[] | undefined };

type McpFields = {
  readonly type: "mcp";
  /** Names the server in calls, and in interruptions: `label.tool`. */
  readonly server_label: string;
  readonly server_description?: string | undefined;
  readonly allowed_tools?: readonly string[] | McpFilter | undefined;
  /** An OAuth access token. Sent, and shown nowhere. */
  readonly authorization?: string | undefined;
  /** Sent with each request to the server; their values are shown nowhere. */
  readonly headers?: { readonly [name: string]: string } | undefined;
  /** Which calls wait for a person: they interrupt the run. The API's default is `"always"`. */
  readonly require_approval?:
    | "always"
    | "never"
    | { readonly always?: McpFilter | undefined; readonly never?: McpFilter | undefined }
    | undefined;
  readonly defer_loading?: boolean | undefined;
} & AllowedCallers;

/** Lets the model call the tools of an MCP server that the provider connects to, by one of three ways. */
export type McpTool = McpFields &
  (
    | { readonly server_url: string; readonly connector_id?: undefined; readonly tunnel_id?: undefined }
    | { readonly connector_id: string; readonly server_url?: undefined; readonly tunnel_id?: undefined }
    | { readonly tunnel_id: string; readonly server_url?: undefined; readonly connector_id?: undefined }
  );

/** The provider's search among tools that are deferred (`toolSelection({ deferred: true })`, `toolNamespace({ deferred: true })`, `defer_loading` of an MCP server). */
export type ToolSearchTool = {
  readonly type: "tool_search";
  /** A search on the side of the client is `toolSelection({ search: true })`. */
  readonly execution?: "server" | undefined;
  readonly description?: string | undefined;
  readonly parameters?: object | undefined;
};

/** Lets the model write a program that calls tools. Calls that it makes are answered like any others. */
export type ProgrammaticToolCallingTool = { readonly type: "programmatic_tool_calling" };

/** Lets the model run commands in a container of the provider's. */
export type ShellTool = {
  readonly type: "shell";
  readonly environment:
    | ({ readonly type: "container_auto"; readonly skills?: readonly object[] | undefined } & ContainerFields)
    | { readonly type: "container_reference"; readonly container_id: string };
} & AllowedCallers;

/** The tools of the provider's own whose fields are known here. Others are passed through all the same: `HostedTool`. */
export type KnownHostedTool =
  | WebSearchTool
  | WebSearchPreviewTool
  | FileSearchTool
  | CodeInterpreterTool
  | ImageGenerationTool
  | McpTool
  | ToolSearchTool
  | ProgrammaticToolCallingTool
  | ShellTool;
