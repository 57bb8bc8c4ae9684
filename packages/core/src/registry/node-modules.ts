// Asked for where they are used, and not imported: importing `node:fs` reads all of its exports, which loads streams, workers
// and more, and would cost every import of this package some milliseconds.

export const nodeFs = () => process.getBuiltinModule("node:fs");
export const nodeModule = () => process.getBuiltinModule("node:module");
export const nodeUtil = () => process.getBuiltinModule("node:util");
