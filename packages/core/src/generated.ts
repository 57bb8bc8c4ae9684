// The entry that modules written by `toolwright build` import.
export { type AnyClass, type RegisteredToolkit, registerToolkit } from "./registry/toolkit-table.js";
