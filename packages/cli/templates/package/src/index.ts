import { defineToolPackage } from "@toolwright/core";
import { SampleConfig } from "./sample-config.js";
import { SampleTools } from "./toolwright.generated.js";

export type { SampleEntry } from "./sample-tools.js";
export { SampleConfig, SampleTools };

/** What a registry makes of this package. */
export default defineToolPackage({ config: SampleConfig, create: (config) => [new SampleTools(config)] });
