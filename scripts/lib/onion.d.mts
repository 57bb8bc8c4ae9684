import type { PipelineExplanation } from "../../packages/core/dist/index.js";

export function onionSvg(explanation: Pick<PipelineExplanation, "hooks">): string;
