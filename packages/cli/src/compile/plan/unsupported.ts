import type { ts } from "typescript-json-schema";
import type { ProblemText } from "../project.js";

/** Where in a tool's arguments a type stands. */
export interface At {
  /** E.g. `OrderTools.findOrders(query).filter.tags`. */
  readonly subject: string;
  /** The nearest node in the author's own source. */
  readonly place: ts.Node;
}

/** Thrown by the walk over types at the first thing of a value that no strict schema can say. */
export class Unsupported extends Error {
  constructor(
    readonly at: At,
    readonly text: ProblemText,
  ) {
    super(text.reason);
  }
}
