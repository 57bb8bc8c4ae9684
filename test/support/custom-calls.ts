import { customTool, type CustomToolOptions, type DefinedTool } from "@toolwright/core";

/** A tool that takes text. Declared a read unless told otherwise. */
export function textTool(
  name: string,
  execute: (input: string) => unknown,
  options: Partial<Pick<CustomToolOptions<unknown>, "effect" | "tags">> = {},
): DefinedTool {
  return customTool({ name, description: `Does ${name}.`, effect: "read", ...options, execute: (input) => execute(input) });
}

/** A call of a {@link textTool}. */
export const textCall = (name: string, callId: string, input: string) => ({
  type: "custom_tool_call",
  id: `ctc_${callId}`,
  call_id: callId,
  name,
  input,
});

/** A server of tools that the provider calls, each with a person's approval. */
export const hostedServer = {
  type: "mcp",
  server_label: "files",
  server_url: "http://127.0.0.1:1/mcp",
  require_approval: "always",
} as const;

/** Its call that waits for a person. */
export const approvalRequest = (id: string, args: object = { path: "a.txt" }) => ({
  type: "mcp_approval_request",
  id,
  server_label: "files",
  name: "delete",
  arguments: JSON.stringify(args),
});

/** Its call that the provider has made, with what came of it. */
export const hostedCall = (id: string, output: string) => ({
  type: "mcp_call",
  id,
  server_label: "files",
  name: "read",
  arguments: '{"path":"a.txt"}',
  output,
});
