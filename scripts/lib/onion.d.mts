import type { PipelineExplanation } from "@toolwright/core";

export function onionSvg(explanation: Pick<PipelineExplanation, "hooks">): string;
