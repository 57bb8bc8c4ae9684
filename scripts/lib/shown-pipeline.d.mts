import type { Agent } from "@toolwright/core";

export function shownPipeline(): Promise<Agent>;
