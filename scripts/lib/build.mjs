import { inRoot } from "./workspace.mjs";
import { quietly, run } from "./run.mjs";

/** Builds every package and the examples. Ends the process if it cannot. */
export const ensureBuilt = (...parameters) =>
  quietly("Building", () => run("node", [inRoot("scripts/build.mjs"), ...parameters], { quiet: true }));
