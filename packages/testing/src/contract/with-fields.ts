import type { Middleware } from "@toolwright/core";

const fields = [
  "name",
  "kind",
  "traits",
  "state",
  "order",
  "repeats",
  "options",
  "boundsSteps",
  "wrapRun",
  "wrapModelCall",
  "wrapToolCall",
  "onEvent",
] as const satisfies readonly (keyof Middleware)[];

/** The middleware with other values of some fields. Its hooks still speak of the object that they come from, whatever its class. */
export function withFields(middleware: Middleware, changes: Partial<Middleware>): Middleware {
  const own: Record<string, unknown> = {};
  for (const field of fields) {
    const value: unknown = middleware[field];
    if (value !== undefined) own[field] = typeof value === "function" ? (value.bind(middleware) as unknown) : value;
  }
  return { ...own, ...changes } as Middleware; // every field of the one it is made from, and some of the same type
}
