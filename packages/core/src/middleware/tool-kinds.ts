import type { ToolInfo } from "../contracts/tool.js";

// A tool says what it is by its identity, which the registry makes.

/** An agent that is used as a tool: its answer is written anew each time. */
export const isAgentTool = ({ identity, name }: ToolInfo): boolean => identity === `app#${name}.agent`;

/** A tool by which another agent goes on with the run. */
export const isHandoff = ({ identity, name }: ToolInfo): boolean => identity === `app#${name}.handoff`;

/** A call that the provider makes once a person has approved it: to run it here is to say yes, and its outcome comes later. */
export const isHostedApproval = ({ identity, name }: ToolInfo): boolean => identity === `mcp#${name}`;
