import type { Agent } from "../../packages/core/dist/index.js";

export function shownPipeline(): Promise<Agent>;
