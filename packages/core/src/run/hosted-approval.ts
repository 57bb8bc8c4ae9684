import type { JsonObject } from "../contracts/json.js";
import type { ObjectSchema } from "../contracts/schema.js";
import type { RunnableTool, ToolInfo } from "../contracts/tool.js";
import type { ToolSet } from "./kernel.js";
import { canonicalJson } from "../schema/canonical-json.js";

const schema: ObjectSchema = { type: "object", properties: {}, required: [], additionalProperties: false };

/** The tool of a call's name: one of the agent's own, or one of a hosted MCP server whose calls wait for approval. */
export function toolOf(tools: ToolSet, name: string): RunnableTool | undefined {
  return tools.byName.get(name) ?? (serverOf(tools, name) === undefined ? undefined : hostedApproval(name));
}

/** The same by the identity that a paused call was kept with. */
export function toolByIdentity(tools: ToolSet, identity: string): RunnableTool | undefined {
  const own = [...tools.byName.values()].find(({ info }) => info.identity === identity);
  return own ?? (identity.startsWith("mcp#") ? toolOf(tools, identity.slice("mcp#".length)) : undefined);
}

/** True for a call that a hosted MCP server makes with the arguments that it has, whatever happens to them here. */
export const isHosted = ({ identity }: ToolInfo): boolean => identity.startsWith("mcp#");

// A name with a dot is none that a tool of the agent's own can have.
function serverOf({ specs }: ToolSet, name: string): unknown {
  const labels = specs.flatMap((spec) => (spec.type === "mcp" ? [String((spec as { server_label?: unknown }).server_label)] : []));
  return labels.find((label) => name.startsWith(`${label}.`));
}

/**
 * A call that the provider makes itself, once a person has approved it: to run it here is to say yes. Whether it needs
 * approval was decided by `require_approval` of its server.
 */
function hostedApproval(name: string): RunnableTool {
  return {
    info: {
      name,
      identity: `mcp#${name}`,
      description: "A tool of a hosted MCP server.",
      parameters: schema,
      effect: "write",
      // Nothing happens here: what the server does after the answer is told by its own items.
      effectDeclared: false,
      idempotent: true,
      timeoutMs: 60_000,
      resource: [],
      maxCalls: undefined,
      echo: [],
      tags: [],
      needsApproval: true,
    },
    check(value) {
      if (typeof value !== "object" || value === null || Array.isArray(value))
        return { ok: false, issues: [{ path: "", expected: "object", received: "something else" }] };
      // As the server was asked for it: its schema is not known here.
      return { ok: true, arguments: JSON.parse(canonicalJson(value as JsonObject)) as JsonObject };
    },
    prepare: () => ({ ok: true, invoke: () => "Approved." }),
    approve: async () => true,
  };
}
