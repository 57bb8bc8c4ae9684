/**
 * The key of the method that tells Node how to print an object: `inspect.custom`, under a name of its own, so that the
 * declarations of this package need no types of Node.
 */
export const inspectCustom: unique symbol = Symbol.for("nodejs.util.inspect.custom") as never;

/**
 * A value as Node prints it. The module is asked for here and not imported: importing one of Node's own modules reads all of
 * its exports, and for some of them loads half of Node.
 */
export function inspected(value: unknown, depth = 4): string {
  return process.getBuiltinModule("node:util").inspect(value, { depth });
}
