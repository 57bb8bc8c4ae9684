// Asked for where they are used, and not imported: importing `node:fs` reads all of its exports, which loads streams, workers
// and more, and would cost every import of this package some milliseconds.

export const nodeFs = (): typeof import("node:fs") => process.getBuiltinModule("node:fs");
export const nodeModule = (): typeof import("node:module") => process.getBuiltinModule("node:module");
export const nodeUtil = (): typeof import("node:util") => process.getBuiltinModule("node:util");
