import { Param, Tool, ToolError } from "@toolwright/core";
import { SampleConfig } from "./sample-config.js";

/** What `get_sample` answers. */
export interface SampleEntry {
  readonly id: string;
  readonly name: string;
  readonly amount: number;
  readonly unit: string;
}

// Replace this by your own source: a database, a file, a service.
const entries: Readonly<Record<string, Omit<SampleEntry, "id" | "unit">>> = {
  "A-1": { name: "Lamp", amount: 12 },
  "A-2": { name: "Chair", amount: 3 },
};

/** Tools about sample. */
export class SampleTools {
  readonly #config: SampleConfig;

  constructor(config: SampleConfig = new SampleConfig()) {
    this.#config = config;
  }

  /** Looks up one entry of sample by its id: its name, and how many there are. Use it for every question about an id. */
  @Tool({ effect: "read" })
  getSample(@Param("Id of the entry: a letter, a dash and a number, e.g. A-1") id: string): SampleEntry {
    const found = Object.hasOwn(entries, id) ? entries[id] : undefined;
    // The model reads this message. Whatever else a tool throws stays in the log.
    if (found === undefined) throw new ToolError({ code: "SAMPLE_UNKNOWN", message: `There is no entry ${JSON.stringify(id)}.` });
    return { id, ...found, unit: this.#config.unit };
  }
}
