import type { Agent } from "@toolwright/core";

export function actingAgent(options: { readonly url: string; readonly effects: string; readonly dieAfter?: string }): Agent;
