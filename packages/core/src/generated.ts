// The entry that modules written by `toolwright build` import.
export { type AnyClass, type RegisteredToolkit, registerToolkit } from "./registry/toolkit-table.js";
export { type RegisteredOutput, registerOutput } from "./registry/output-table.js";
