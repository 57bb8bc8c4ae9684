/**
 * The key of the method that tells Node how to print an object: `inspect.custom`, under a name of its own, so that the
 * declarations of this package need no types of Node.
 */
export const inspectCustom: unique symbol = Symbol.for("nodejs.util.inspect.custom") as never;
