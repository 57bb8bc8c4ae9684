import type { JsonRecord } from "../json-record.js";

/** What a check of one schema node works with. */
export interface NodeContext {
  readonly root: JsonRecord;
  /** Keywords and names from the root to the node. */
  readonly path: readonly string[];
  report(message: string): void;
}
